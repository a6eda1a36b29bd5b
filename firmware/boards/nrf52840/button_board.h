/* The button program's hardware on the nRF52840 DK: button 1 on P0.11 by channel 0 of GPIOTE, an LED wired to P1.03, pins A
 * and B P1.01 and P1.02, the serial port on P0.06. `board_init` has set the clock and the port up before.
 *
 * The tick is TIMER0's: SysTick stands while the core sleeps (4413_417, "CPU and support module configuration"). */
#ifndef CYCLESCOPE_BUTTON_BOARD_H
#define CYCLESCOPE_BUTTON_BOARD_H

#include <stdbool.h>

#include "nrf52840.h"

#define BUTTON_PIN 11u /* of P0 */
#define LED_PIN 3u     /* of P1, as the two below */
#define A_PIN 1u
#define B_PIN 2u

/** The handlers' names in the vector table, and the interrupts' numbers. The serial port has one for both ways of sending. */
#define Button_Handler GPIOTE_IRQHandler
#define Serial_Handler UARTE0_UART0_IRQHandler
#define SerialDma_Handler UARTE0_UART0_IRQHandler
#define Tick_Handler TIMER0_IRQHandler
#define BUTTON_IRQ 6u
#define SERIAL_IRQ 2u
#define TICK_IRQ 8u

/** Priorities as the register has them, 3 bits: no kernel masks 5 and below, and the tick has the last. */
#define BUTTON_PRIORITY 0xA0u
#define SERIAL_PRIORITY 0xC0u
#define TICK_PRIORITY 0xE0u

/** Pins, both edges of the button, and what the mode's way of sending wants; enables the interrupts. */
void button_board_init(void);

static inline bool button_is_up(void) { return (GPIO_IN(P0) >> BUTTON_PIN & 1u) != 0; }

static inline void led_on(void) { GPIO_OUTSET(P1) = 1u << LED_PIN; }
static inline void led_off(void) { GPIO_OUTCLR(P1) = 1u << LED_PIN; }
static inline void pin_a_rises(void) { GPIO_OUTSET(P1) = 1u << A_PIN; }
static inline void pin_a_falls(void) { GPIO_OUTCLR(P1) = 1u << A_PIN; }
static inline void pin_b_rises(void) { GPIO_OUTSET(P1) = 1u << B_PIN; }
static inline void pin_b_falls(void) { GPIO_OUTCLR(P1) = 1u << B_PIN; }

#define GPIOTE_EVENTS_IN0 REG32(0x40006100u)

/* An event that is read back has been cleared: the bus is slower than the core, and the handler could run once too often
 * ("Peripheral interface", interrupt clearing and disabling). */

/** Takes back what the button's edge has left pending. */
static inline void button_acknowledge(void) {
    GPIOTE_EVENTS_IN0 = 0;
    (void)GPIOTE_EVENTS_IN0;
}

/** True if the port takes a byte. */
static inline bool serial_is_ready(void) { return UART0_EVENTS_TXDRDY != 0; }
static inline void serial_put(char byte) {
    UART0_EVENTS_TXDRDY = 0;
    UART0_TXD = (uint8_t)byte;
}
/** Has the port interrupt whenever it takes a byte, or no longer. */
static inline void serial_ask(void) { UART0_INTENSET = UART_INTEN_TXDRDY; }
static inline void serial_ask_no_more(void) {
    UART0_INTENCLR = UART_INTEN_TXDRDY;
    (void)UART0_INTENCLR;
}

/** Has EasyDMA hand `length` bytes over and interrupt after the last; they stay where they are until then. */
static inline void serial_dma_send(const char *bytes, uint32_t length) {
    UARTE0_TXD_PTR = (uint32_t)bytes;
    UARTE0_TXD_MAXCNT = length;
    UART0_TASKS_STARTTX = 1;
}
static inline void serial_dma_acknowledge(void) {
    UARTE0_EVENTS_ENDTX = 0;
    (void)UARTE0_EVENTS_ENDTX;
}

/** Starts the tick, `hz` times a second, at most 1 MHz. */
static inline void tick_start(uint32_t hz) {
    TIMER0_BITMODE = TIMER_BITMODE_32;
    TIMER0_PRESCALER = 4; /* 1 MHz */
    TIMER0_CC0 = 1000000u / hz;
    TIMER0_SHORTS = TIMER_SHORTS_COMPARE0_CLEAR;
    TIMER0_INTENSET = TIMER_INTEN_COMPARE0;
    TIMER0_TASKS_CLEAR = 1;
    TIMER0_TASKS_START = 1;
}
static inline void tick_acknowledge(void) {
    TIMER0_EVENTS_COMPARE0 = 0;
    (void)TIMER0_EVENTS_COMPARE0;
}

#endif
