/* Starts an RP2040 by its second stage and the start-up code of its board, and goes through what a first program has: pins, two
 * interrupts, DMA and the second core. The times that it checks are the timer's, by the crystal. Registers are those of
 * RP-008371-DS. */
#include <stdbool.h>

#include "board.h"
#include "checks.h"
#include "nvic.h"
#include "rp2040.h"

#define PAD_PULL_DOWN (1u << 2)

/* The frequency counter ("Clocks"). */
#define FC0_REF_KHZ REG32(0x40008080u)
#define FC0_MIN_KHZ REG32(0x40008084u)
#define FC0_MAX_KHZ REG32(0x40008088u)
#define FC0_INTERVAL REG32(0x40008090u)
#define FC0_SRC REG32(0x40008094u)
#define FC0_SRC_CLK_SYS 9u
#define FC0_STATUS REG32(0x40008098u)
#define FC0_STATUS_DONE (1u << 4)
#define FC0_RESULT REG32(0x4000809Cu) /* kHz from bit 5 on, and a fraction */

/* Alarm 0 ("Timer") */
#define TIMER_ALARM0 REG32(0x40054010u)
#define TIMER_INTR REG32(0x40054034u)
#define TIMER_INTE REG32(0x40054038u)
#define ALARM_0 (1u << 0)
#define TIMER_0_IRQ 0u

/* Channel 0 ("DMA") */
#define DMA_READ_ADDR REG32(0x50000000u)
#define DMA_WRITE_ADDR REG32(0x50000004u)
#define DMA_TRANS_COUNT REG32(0x50000008u)
#define DMA_CTRL_TRIG REG32(0x5000000Cu)
#define DMA_CTRL_EN (1u << 0)
#define DMA_CTRL_WORDS (2u << 2)
#define DMA_CTRL_INCR_READ (1u << 4)
#define DMA_CTRL_INCR_WRITE (1u << 5)
#define DMA_CTRL_UNPACED (0x3Fu << 15)
#define DMA_INTE0 REG32(0x50000404u)
#define DMA_INTS0 REG32(0x5000040Cu)
#define DMA_0_IRQ 11u

/* The cores' own block ("SIO") */
#define SIO_CPUID REG32(0xD0000000u)
#define SIO_GPIO_OUT_XOR REG32(0xD000001Cu)
#define SIO_FIFO_ST REG32(0xD0000050u)
#define FIFO_VALID (1u << 0)
#define FIFO_READY (1u << 1)
#define SIO_FIFO_WR REG32(0xD0000054u)
#define SIO_FIFO_RD REG32(0xD0000058u)

#define SECOND_STAGE ((const uint8_t *)0x10000000u)
enum { SECOND_STAGE_BYTES = 252 };

/* Pins, microseconds between two interrupts of the timer, interrupts of a run, and how many of them do not reach the pin. */
enum { INTERRUPT_PIN = 6, FREE_PIN = 7, TICK_PIN = 8 };
enum { INTERRUPTS = 12, UNSEEN = 2, INTERRUPT_PERIOD = 500 };
enum { TICKS = 6 };
/* Words that DMA copies, and messages between the cores. */
enum { WORDS = 64, MESSAGES = 20 };

extern uint32_t _sisr_vector[];

static volatile uint32_t interrupts, ticks, transfers;
static uint32_t copied_from[WORDS];
static volatile uint32_t copied_to[WORDS];
static uint64_t second_stack[64];

static bool is_high(uint32_t pin) { return (SIO_GPIO_IN >> pin & 1u) != 0; }

static void output(uint32_t pin) {
    SIO_GPIO_OE_SET = 1u << pin;
    IO_BANK0_CTRL(pin) = FUNCTION_SIO;
}

void TIMER_0_IRQHandler(void) {
    TIMER_INTR = ALARM_0;
    TIMER_ALARM0 += INTERRUPT_PERIOD;
    SIO_GPIO_OUT_XOR = 1u << INTERRUPT_PIN;
    interrupts += 1;
}

void SysTick_Handler(void) {
    SIO_GPIO_OUT_XOR = 1u << TICK_PIN;
    ticks += 1;
}

void DMA_0_IRQHandler(void) {
    DMA_INTS0 = 1u << 0;
    transfers += 1;
}

/* CRC-32 as the boot ROM counts it: most significant bit first, nothing inverted at the end. */
static uint32_t crc(const uint8_t *bytes, uint32_t count) {
    uint32_t sum = 0xFFFFFFFFu;

    for (uint32_t at = 0; at < count; at += 1) {
        sum ^= (uint32_t)bytes[at] << 24;
        for (uint32_t bit = 0; bit < 8; bit += 1) {
            sum = sum << 1 ^ ((sum & 1u << 31) != 0 ? 0x04C11DB7u : 0u);
        }
    }
    return sum;
}

static void clocks(void) {
    FC0_REF_KHZ = 12000;
    FC0_MIN_KHZ = 0;
    FC0_MAX_KHZ = 0x1FFFFFF;
    FC0_INTERVAL = 10; /* about a millisecond */
    FC0_SRC = FC0_SRC_CLK_SYS;
    while ((FC0_STATUS & FC0_STATUS_DONE) == 0) {
    }
    within("clk_sys in kHz", FC0_RESULT >> 5, 124900, 125100);
}

static void pins(void) {
    PADS_BANK0(FREE_PIN) = PAD_INPUT | PAD_4MA | PAD_PULL_UP | PAD_SCHMITT;
    IO_BANK0_CTRL(FREE_PIN) = FUNCTION_SIO;
    settle();
    check("pulled up", is_high(FREE_PIN), 1);
    PADS_BANK0(FREE_PIN) = PAD_INPUT | PAD_4MA | PAD_PULL_DOWN | PAD_SCHMITT;
    settle();
    check("pulled down", is_high(FREE_PIN), 0);
    output(FREE_PIN);
    SIO_GPIO_OUT_SET = 1u << FREE_PIN;
    settle();
    check("driven high", is_high(FREE_PIN), 1);
    SIO_GPIO_OUT_CLR = 1u << FREE_PIN;
    settle();
    check("driven low", is_high(FREE_PIN), 0);
}

static void timer_interrupts(void) {
    TIMER_INTE = ALARM_0;
    nvic_enable(TIMER_0_IRQ, 0x40);
    uint32_t begun = TIMER_TIMERAWL;
    TIMER_ALARM0 = begun + INTERRUPT_PERIOD;
    /* The first find a cold cache and come late: they do not reach the pin. */
    sleep_until(&interrupts, UNSEEN);
    output(INTERRUPT_PIN);
    sleep_until(&interrupts, INTERRUPTS);
    uint32_t took = TIMER_TIMERAWL - begun;
    TIMER_INTE = 0;
    within("microseconds of interrupts", took, INTERRUPTS * INTERRUPT_PERIOD, INTERRUPTS * INTERRUPT_PERIOD + 5);
    check("interrupts", interrupts, INTERRUPTS);
}

static void systick_interrupts(void) {
    SYST_RVR = RP2040_CLK_SYS_HZ / 1000u - 1u;
    SYST_CVR = 0;
    uint32_t begun = TIMER_TIMERAWL;
    SYST_CSR = SYST_CSR_ENABLE | SYST_CSR_TICKINT | SYST_CSR_CLKSOURCE_CPU;
    sleep_until(&ticks, UNSEEN);
    output(TICK_PIN);
    sleep_until(&ticks, TICKS);
    uint32_t took = TIMER_TIMERAWL - begun;
    SYST_CSR = 0;
    within("microseconds of ticks", took, TICKS * 1000, TICKS * 1000 + 5);
}

static void copy(void) {
    unreset(RESET_DMA);
    for (uint32_t at = 0; at < WORDS; at += 1) {
        copied_from[at] = at * 0x01030507u;
    }
    DMA_INTE0 = 1u << 0;
    nvic_enable(DMA_0_IRQ, 0x80);
    DMA_READ_ADDR = (uint32_t)copied_from;
    DMA_WRITE_ADDR = (uint32_t)copied_to;
    DMA_TRANS_COUNT = WORDS;
    DMA_CTRL_TRIG = DMA_CTRL_EN | DMA_CTRL_WORDS | DMA_CTRL_INCR_READ | DMA_CTRL_INCR_WRITE | DMA_CTRL_UNPACED;
    sleep_until(&transfers, 1);

    uint32_t same = 0;
    for (uint32_t at = 0; at < WORDS; at += 1) {
        same += copied_to[at] == at * 0x01030507u;
    }
    check("words copied", same, WORDS);
    check("words left", DMA_TRANS_COUNT, 0);
}

static void send(uint32_t word) {
    while ((SIO_FIFO_ST & FIFO_READY) == 0) {
    }
    SIO_FIFO_WR = word;
    __asm volatile("sev");
}

static uint32_t receive(void) {
    while ((SIO_FIFO_ST & FIFO_VALID) == 0) {
        __asm volatile("wfe");
    }
    return SIO_FIFO_RD;
}

/* The second core's program: an answer of two words to each message. */
static _Noreturn void second(void) {
    for (;;) {
        uint32_t message = receive();
        send(message * 3u);
        send(SIO_CPUID);
    }
}

/* The boot ROM repeats each word that it expects, and begins again after another ("Launching Code On Processor Core 1"). */
static void launch(void) {
    const uint32_t words[] = {0, 0, 1, (uint32_t)_sisr_vector, (uint32_t)(second_stack + 64), (uint32_t)second};
    uint32_t sent = 0;

    while (sent < sizeof words / sizeof words[0]) {
        if (words[sent] == 0) {
            while ((SIO_FIFO_ST & FIFO_VALID) != 0) {
                (void)SIO_FIFO_RD;
            }
            __asm volatile("sev");
        }
        send(words[sent]);
        sent = receive() == words[sent] ? sent + 1 : 0;
    }
}

static void two_cores(void) {
    uint32_t answered = 0, from_second = 0;

    launch();
    for (uint32_t message = 0; message < MESSAGES; message += 1) {
        send(message + 1000u);
        answered += receive() == (message + 1000u) * 3u;
        from_second += receive();
    }
    check("this core", SIO_CPUID, 0);
    check("messages answered", answered, MESSAGES);
    check("answers by core 1", from_second, MESSAGES);
}

static void greet(void) {
    static const char greeting[] = "hello from flash\r\n";
    uint32_t begun = TIMER_TIMERAWL;

    board_write(greeting);
    while ((UART0_FR & UART_FR_BUSY) != 0) {
    }
    uint32_t took = TIMER_TIMERAWL - begun, expected = (sizeof greeting - 1) * 10u * 1000u / 115u;
    within("microseconds of the serial port", took, expected - expected / 50u, expected + expected / 50u);
}

int main(void) {
    board_init();
    check("second stage", crc(SECOND_STAGE, SECOND_STAGE_BYTES) == *(const uint32_t *)(SECOND_STAGE + SECOND_STAGE_BYTES), 1);
    clocks();
    pins();
    timer_interrupts();
    systick_interrupts();
    copy();
    two_cores();
    greet();
    done();
}
