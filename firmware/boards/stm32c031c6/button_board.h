/* The button program's hardware on the Nucleo-C031C6: PC13 by EXTI13, LED PA5, pins A and B PA0 and PA1, USART2 on PA2
 * with channel 1 of DMA1 (RM0490). `board_init` has set clocks, PA2 and USART2 up before. */
#ifndef CYCLESCOPE_BUTTON_BOARD_H
#define CYCLESCOPE_BUTTON_BOARD_H

#include "button_gpio.h"

#define GPIOA 0x50000000u
#define GPIOC 0x50000800u
#define BUTTON_PIN 13u

/** SysTick's clock, Hz. */
#define BUTTON_CORE_HZ 48000000u

/** The handlers' names in the vector table, and the interrupts' numbers. */
#define Button_Handler EXTI4_15_IRQHandler
#define Serial_Handler USART2_IRQHandler
#define SerialDma_Handler DMA1_Channel1_IRQHandler
#define BUTTON_IRQ 7u
#define SERIAL_IRQ 28u
#define SERIAL_DMA_IRQ 9u

/** Priorities as the register has them, 2 bits; the tick has the last. */
#define BUTTON_PRIORITY 0x40u
#define SERIAL_PRIORITY 0x80u
#define TICK_PRIORITY 0xC0u

/* EXTI, 0x40021800 (RM0490, "EXTI registers"): rising and falling edges are pending apart */
#define EXTI_RTSR1 REG32(0x40021800u)
#define EXTI_FTSR1 REG32(0x40021804u)
#define EXTI_RPR1 REG32(0x4002180Cu)
#define EXTI_FPR1 REG32(0x40021810u)
#define EXTI_EXTICR4 REG32(0x4002186Cu)
#define EXTI_EXTICR4_EXTI13(port) ((port) << 8) /* 0 is port A */
#define EXTI_IMR1 REG32(0x40021880u)

/* USART2, 0x40004400 (RM0490, "USART registers") */
#define USART2_CR1 REG32(0x40004400u)
#define USART_CR1_TXEIE (1u << 7)
#define USART2_CR3 REG32(0x40004408u)
#define USART_CR3_DMAT (1u << 7)
#define USART2_ISR REG32(0x4000441Cu)
#define USART_ISR_TXE (1u << 7)
#define USART2_TDR REG32(0x40004428u)

/* DMA1, 0x40020000 (RM0490, "DMA registers") */
#define DMA1_IFCR REG32(0x40020004u)
#define DMA_IFCR_CGIF1 (1u << 0)
#define DMA1_CCR1 REG32(0x40020008u)
#define DMA_CCR_EN (1u << 0)
#define DMA_CCR_TCIE (1u << 1)
#define DMA_CCR_DIR_TO_PERIPHERAL (1u << 4)
#define DMA_CCR_MINC (1u << 7)
#define DMA1_CNDTR1 REG32(0x4002000Cu)
#define DMA1_CPAR1 REG32(0x40020010u)
#define DMA1_CMAR1 REG32(0x40020014u)

/** Pins, both edges of the button, and what the mode's way of sending wants; enables the interrupts. */
void button_board_init(void);

static inline bool button_is_up(void) { return gpio_is_high(GPIOC, BUTTON_PIN); }
/** Takes back what the button's edge, whichever it was, has left pending. */
static inline void button_acknowledge(void) {
    EXTI_RPR1 = 1u << BUTTON_PIN;
    EXTI_FPR1 = 1u << BUTTON_PIN;
}

static inline void led_on(void) { gpio_rises(GPIOA, 5); }
static inline void led_off(void) { gpio_falls(GPIOA, 5); }
static inline void pin_a_rises(void) { gpio_rises(GPIOA, 0); }
static inline void pin_a_falls(void) { gpio_falls(GPIOA, 0); }
static inline void pin_b_rises(void) { gpio_rises(GPIOA, 1); }
static inline void pin_b_falls(void) { gpio_falls(GPIOA, 1); }

/** Whether the UART takes a byte. */
static inline bool serial_is_ready(void) { return (USART2_ISR & USART_ISR_TXE) != 0; }
static inline void serial_put(char byte) { USART2_TDR = (uint8_t)byte; }
/** Has the UART interrupt whenever it takes a byte, or no longer. */
static inline void serial_ask(void) { USART2_CR1 |= USART_CR1_TXEIE; }
static inline void serial_ask_no_more(void) { USART2_CR1 &= ~USART_CR1_TXEIE; }

/** Has the DMA hand `length` bytes over and interrupt after the last; they stay where they are until then. A channel's
 *  count is written while it is off. */
static inline void serial_dma_send(const char *bytes, uint32_t length) {
    DMA1_CCR1 = 0;
    DMA1_CMAR1 = (uint32_t)bytes;
    DMA1_CNDTR1 = length;
    DMA1_CCR1 = DMA_CCR_MINC | DMA_CCR_DIR_TO_PERIPHERAL | DMA_CCR_TCIE | DMA_CCR_EN;
}
static inline void serial_dma_acknowledge(void) { DMA1_IFCR = DMA_IFCR_CGIF1; }

#endif
