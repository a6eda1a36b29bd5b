/* The button program's hardware on the Pico: a button wired from GPIO15 to ground, the LED on GPIO25, pins A and B GPIO16 and
 * GPIO17, UART0 on GPIO0. `board_init` has set the clock and the port up before. */
#ifndef CYCLESCOPE_BUTTON_BOARD_H
#define CYCLESCOPE_BUTTON_BOARD_H

#include <stdbool.h>

#include "rp2040.h"

/** SysTick's clock, Hz. It counts while the core sleeps, as clk_sys goes on. */
#define BUTTON_CORE_HZ RP2040_CLK_SYS_HZ

#define BUTTON_PIN 15u
#define LED_PIN 25u
#define A_PIN 16u
#define B_PIN 17u

/** The handlers' names in the vector table, and the interrupts' numbers. */
#define Button_Handler IO_BANK0_IRQHandler
#define Serial_Handler UART0_IRQHandler
#define SerialDma_Handler DMA_0_IRQHandler
#define BUTTON_IRQ 13u
#define SERIAL_IRQ 20u
#define SERIAL_DMA_IRQ 11u

/** Priorities as the register has them, 2 bits; the tick has the last. */
#define BUTTON_PRIORITY 0x40u
#define SERIAL_PRIORITY 0x80u
#define TICK_PRIORITY 0xC0u

/** Pins, both edges of the button, and what the mode's way of sending wants; enables the interrupts. */
void button_board_init(void);

static inline bool button_is_up(void) { return (SIO_GPIO_IN >> BUTTON_PIN & 1u) != 0; }

static inline void led_on(void) { SIO_GPIO_OUT_SET = 1u << LED_PIN; }
static inline void led_off(void) { SIO_GPIO_OUT_CLR = 1u << LED_PIN; }
static inline void pin_a_rises(void) { SIO_GPIO_OUT_SET = 1u << A_PIN; }
static inline void pin_a_falls(void) { SIO_GPIO_OUT_CLR = 1u << A_PIN; }
static inline void pin_b_rises(void) { SIO_GPIO_OUT_SET = 1u << B_PIN; }
static inline void pin_b_falls(void) { SIO_GPIO_OUT_CLR = 1u << B_PIN; }

/* Four bits a pin, eight pins a register: two for levels, then the falling edge's and the rising one's. */
#define IO_BANK0_INTR(pin) REG32(0x400140F0u + 4u * ((pin) / 8u))
#define IO_BANK0_PROC0_INTE(pin) REG32(0x40014100u + 4u * ((pin) / 8u))
#define BOTH_EDGES(pin) (0xCu << 4u * ((pin) % 8u))

/** Takes back what the button's edge has left pending. */
static inline void button_acknowledge(void) { IO_BANK0_INTR(BUTTON_PIN) = BOTH_EDGES(BUTTON_PIN); }

/** True if the port takes a byte. */
static inline bool serial_is_ready(void) { return (UART0_FR & UART_FR_TXFF) == 0; }
static inline void serial_put(char byte) { UART0_DR = (uint8_t)byte; }

#define NVIC_ISPR REG32(0xE000E200u)

/** Has the port interrupt whenever it takes a byte, or no longer; it is off before. It tells that it has become empty, not that it
 *  is: where it is, the first byte is asked for by hand. More than one is to be sent. */
static inline void serial_ask(void) {
    if ((UART0_FR & UART_FR_TXFE) != 0) {
        NVIC_ISPR = 1u << SERIAL_IRQ;
    }
    UART0_IMSC = UART_IMSC_TXIM;
}
static inline void serial_ask_no_more(void) { UART0_IMSC = 0; }

/* Channel 0 ("DMA") */
#define DMA_READ_ADDR REG32(0x50000000u)
#define DMA_WRITE_ADDR REG32(0x50000004u)
#define DMA_TRANS_COUNT REG32(0x50000008u)
#define DMA_CTRL_TRIG REG32(0x5000000Cu)
#define DMA_CTRL_EN (1u << 0)
#define DMA_CTRL_INCR_READ (1u << 4)
#define DMA_CTRL_TREQ(number) ((number) << 15)
#define DREQ_UART0_TX 20u
#define DMA_INTE0 REG32(0x50000404u)
#define DMA_INTS0 REG32(0x5000040Cu)

/** Has the DMA hand `length` bytes over and interrupt after the last; they stay where they are until then. Its channel is chained
 *  to itself, which is none. */
static inline void serial_dma_send(const char *bytes, uint32_t length) {
    DMA_READ_ADDR = (uint32_t)bytes;
    DMA_WRITE_ADDR = (uint32_t)&UART0_DR;
    DMA_TRANS_COUNT = length;
    DMA_CTRL_TRIG = DMA_CTRL_EN | DMA_CTRL_INCR_READ | DMA_CTRL_TREQ(DREQ_UART0_TX);
}
static inline void serial_dma_acknowledge(void) { DMA_INTS0 = 1u << 0; }

#endif
