/* Starts an nRF52840 by the start-up code of its board, and goes through what a first program has: pins, two interrupts, the
 * peripherals' own wires and DMA. The times that it checks are TIMER0's, by the crystal. Registers are those of 4413_417. */
#include <stdbool.h>

#include "board.h"
#include "checks.h"
#include "nrf52840.h"
#include "nvic.h"

#define CLOCK_HFCLKSTAT REG32(0x4000040Cu)
#define HFCLKSTAT_RUNNING_FROM_CRYSTAL (1u << 16 | 1u << 0)

/* The other timers, by their offsets from TIMER0. */
#define TIMER1 0x1000u
#define TIMER2 0x2000u
#define OF(timer, name) (*(&TIMER0_##name + (timer) / 4u))
#define TIMER1_INTENCLR REG32(0x40009308u)
#define TIMER_PRESCALER_1MHZ 4u
#define TIMER1_IRQ 9u

#define GPIOTE_TASKS_OUT0 REG32(0x40006000u)
#define GPIOTE_CONFIG0 REG32(0x40006510u)
#define GPIOTE_CONFIG_TASK_TOGGLING(pin) (3u << 0 | (pin) << 8 | 3u << 16)
#define PPI_CHENSET REG32(0x4001F504u)
#define PPI_CHENCLR REG32(0x4001F508u)
#define PPI_CH0_EEP REG32(0x4001F510u)
#define PPI_CH0_TEP REG32(0x4001F514u)

#define UARTE0_TXD_AMOUNT REG32(0x4000254Cu)

#define GPIO_OUT(port) REG32((port) + 0x504u)
#define PIN_CNF_OUTPUT (1u << 0) /* with its input connected, so that its level can be read */
#define PIN_CNF_PULLED_DOWN (1u << 2)

/* Pins of P0. */
enum { INTERRUPT_PIN = 13, PPI_PIN = 14, TICK_PIN = 15, FREE_PIN = 30 };
/* Microseconds between two edges, by the interrupt and by PPI. */
enum { INTERRUPT_PERIOD = 500, PPI_PERIOD = 125 };
/* Interrupts of a run, and how many of them do not reach the pin. */
enum { INTERRUPTS = 12, TICKS = 6, UNSEEN = 2 };

static volatile uint32_t interrupts, ticks;
/* EasyDMA reads RAM only. */
static char greeting[] = "hello by EasyDMA\r\n";

static uint32_t microseconds(void) {
    TIMER0_TASKS_CAPTURE0 = 1;
    return TIMER0_CC0;
}

static bool is_high(uint32_t pin) { return (GPIO_IN(P0) >> pin & 1u) != 0; }

static void toggle(uint32_t pin) { GPIO_OUT(P0) ^= 1u << pin; }

void TIMER1_IRQHandler(void) {
    OF(TIMER1, EVENTS_COMPARE0) = 0;
    toggle(INTERRUPT_PIN);
    interrupts += 1;
    /* A read behind the write: the event is gone when the handler returns. */
    (void)OF(TIMER1, EVENTS_COMPARE0);
}

void SysTick_Handler(void) {
    toggle(TICK_PIN);
    ticks += 1;
}

static void start_timer(uint32_t timer, uint32_t period) {
    OF(timer, BITMODE) = TIMER_BITMODE_32;
    OF(timer, PRESCALER) = TIMER_PRESCALER_1MHZ;
    OF(timer, CC0) = period;
    OF(timer, SHORTS) = TIMER_SHORTS_COMPARE0_CLEAR;
    OF(timer, TASKS_CLEAR) = 1;
    OF(timer, TASKS_START) = 1;
}

static void pins(void) {
    GPIO_PIN_CNF(P0, FREE_PIN) = GPIO_PIN_CNF_INPUT_PULLED_UP;
    settle();
    check("pulled up", is_high(FREE_PIN), 1);
    GPIO_PIN_CNF(P0, FREE_PIN) = PIN_CNF_PULLED_DOWN;
    settle();
    check("pulled down", is_high(FREE_PIN), 0);
    GPIO_PIN_CNF(P0, FREE_PIN) = PIN_CNF_OUTPUT;
    toggle(FREE_PIN);
    settle();
    check("driven high", is_high(FREE_PIN), 1);
    toggle(FREE_PIN);
    settle();
    check("driven low", is_high(FREE_PIN), 0);
}

static void timer_interrupts(void) {
    OF(TIMER1, INTENSET) = TIMER_INTEN_COMPARE0;
    nvic_enable(TIMER1_IRQ, 0x40);
    uint32_t begun = microseconds();
    start_timer(TIMER1, INTERRUPT_PERIOD);
    /* The first find a cold cache and come late: they do not reach the pin. */
    sleep_until(&interrupts, UNSEEN);
    GPIO_DIRSET(P0) = 1u << INTERRUPT_PIN;
    sleep_until(&interrupts, INTERRUPTS);
    uint32_t took = microseconds() - begun;
    TIMER1_INTENCLR = TIMER_INTEN_COMPARE0;
    within("microseconds of interrupts", took, INTERRUPTS * INTERRUPT_PERIOD, INTERRUPTS * INTERRUPT_PERIOD + 5);
    check("interrupts", interrupts, INTERRUPTS);
}

/* SysTick stands while this core sleeps ("CPU and support module configuration"). */
static void systick_interrupts(void) {
    SYST_RVR = NRF52840_CORE_HZ / 1000u - 1u;
    SYST_CVR = 0;
    uint32_t begun = microseconds();
    SYST_CSR = SYST_CSR_ENABLE | SYST_CSR_TICKINT | SYST_CSR_CLKSOURCE_CPU;
    while (ticks < UNSEEN) {
    }
    GPIO_DIRSET(P0) = 1u << TICK_PIN;
    while (ticks < TICKS) {
    }
    uint32_t took = microseconds() - begun;
    SYST_CSR = 0;
    within("microseconds of ticks", took, TICKS * 1000, TICKS * 1000 + 5);
}

/* Levels halfway between the edges that they lie between, the first in bit 0. */
static uint32_t levels(uint32_t begun, uint32_t count) {
    uint32_t seen = 0;

    for (uint32_t edge = 0; edge < count; edge += 1) {
        while (microseconds() - begun < edge * PPI_PERIOD + PPI_PERIOD / 2) {
        }
        seen |= (uint32_t)is_high(PPI_PIN) << edge;
    }
    return seen;
}

static void peripheral_wires(void) {
    GPIO_PIN_CNF(P0, PPI_PIN) = PIN_CNF_OUTPUT;
    GPIOTE_CONFIG0 = GPIOTE_CONFIG_TASK_TOGGLING(PPI_PIN);
    PPI_CH0_EEP = (uint32_t)&OF(TIMER2, EVENTS_COMPARE0);
    PPI_CH0_TEP = (uint32_t)&GPIOTE_TASKS_OUT0;
    PPI_CHENSET = 1u << 0;
    uint32_t begun = microseconds();
    start_timer(TIMER2, PPI_PERIOD);
    uint32_t seen = levels(begun, 8);
    PPI_CHENCLR = 1u << 0;
    check("levels with the channel on", seen, 0xAA);
    check("levels with the channel off", levels(microseconds(), 4), 0xF);
}

static void send_by_dma(void) {
    uint32_t count = sizeof greeting - 1;

    UART0_ENABLE = UART_ENABLE_DISABLED;
    UART0_BAUDRATE = UARTE_BAUDRATE_115200;
    UART0_ENABLE = UART_ENABLE_UARTE;
    UARTE0_TXD_PTR = (uint32_t)greeting;
    UARTE0_TXD_MAXCNT = count;
    UARTE0_EVENTS_ENDTX = 0;
    uint32_t begun = microseconds();
    UART0_TASKS_STARTTX = 1;
    while (UARTE0_EVENTS_ENDTX == 0) {
    }
    uint32_t took = microseconds() - begun, expected = count * 10u * 1000u / 115u;
    check("bytes by EasyDMA", UARTE0_TXD_AMOUNT, count);
    within("microseconds of EasyDMA", took, expected - expected / 50u, expected + expected / 50u);
}

int main(void) {
    board_init();
    check("high-frequency clock by its crystal", CLOCK_HFCLKSTAT, HFCLKSTAT_RUNNING_FROM_CRYSTAL);
    TIMER0_BITMODE = TIMER_BITMODE_32;
    TIMER0_PRESCALER = TIMER_PRESCALER_1MHZ;
    TIMER0_TASKS_START = 1;

    pins();
    timer_interrupts();
    systick_interrupts();
    peripheral_wires();
    send_by_dma();
    done();
}
