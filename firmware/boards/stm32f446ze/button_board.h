/* The button program's hardware on the Nucleo-F446ZE: PC13 by EXTI13, LED PB0, pins A and B PG0 and PG1, USART3 on PD8
 * with stream 3 of DMA1 (RM0390). `board_init` has set clocks, PD8 and USART3 up before. */
#ifndef CYCLESCOPE_BUTTON_BOARD_H
#define CYCLESCOPE_BUTTON_BOARD_H

#include "button_gpio.h"

#define GPIOB 0x40020400u
#define GPIOC 0x40020800u
#define GPIOG 0x40021800u
#define BUTTON_PIN 13u

/** SysTick's clock, Hz. */
#define BUTTON_CORE_HZ 180000000u

/** The handlers' names in the vector table, and the interrupts' numbers. */
#define Button_Handler EXTI15_10_IRQHandler
#define Serial_Handler USART3_IRQHandler
#define SerialDma_Handler DMA1_Stream3_IRQHandler
#define BUTTON_IRQ 40u
#define SERIAL_IRQ 39u
#define SERIAL_DMA_IRQ 14u

/** Priorities as the register has them, 4 bits: no kernel masks 5 and below, and the tick has the last. */
#define BUTTON_PRIORITY 0x50u
#define SERIAL_PRIORITY 0x60u
#define TICK_PRIORITY 0xF0u

/* EXTI, 0x40013C00 (RM0390, "EXTI registers") */
#define EXTI_IMR REG32(0x40013C00u)
#define EXTI_RTSR REG32(0x40013C08u)
#define EXTI_FTSR REG32(0x40013C0Cu)
#define EXTI_PR REG32(0x40013C14u)

/* USART3, 0x40004800 (RM0390, "USART registers") */
#define USART3_SR REG32(0x40004800u)
#define USART_SR_TXE (1u << 7)
#define USART3_DR REG32(0x40004804u)
#define USART3_CR1 REG32(0x4000480Cu)
#define USART_CR1_TXEIE (1u << 7)
#define USART3_CR3 REG32(0x40004814u)
#define USART_CR3_DMAT (1u << 7)

/* DMA1, 0x40026000 (RM0390, "DMA registers"): stream 3 takes USART3_TX as channel 4 ("DMA1 request mapping") */
#define DMA1_LIFCR REG32(0x40026008u)
#define DMA_LIFCR_STREAM3 (0x3Du << 22)
#define DMA1_S3CR REG32(0x40026058u)
#define DMA_SXCR_EN (1u << 0)
#define DMA_SXCR_TCIE (1u << 4)
#define DMA_SXCR_DIR_TO_PERIPHERAL (1u << 6)
#define DMA_SXCR_MINC (1u << 10)
#define DMA_SXCR_CHSEL(channel) ((channel) << 25)
#define DMA1_S3NDTR REG32(0x4002605Cu)
#define DMA1_S3PAR REG32(0x40026060u)
#define DMA1_S3M0AR REG32(0x40026064u)

/** Pins, both edges of the button, and what the mode's way of sending wants; enables the interrupts. */
void button_board_init(void);

static inline bool button_is_up(void) { return gpio_is_high(GPIOC, BUTTON_PIN); }
/** Takes back what the button's edge has left pending. */
static inline void button_acknowledge(void) { EXTI_PR = 1u << BUTTON_PIN; }

static inline void led_on(void) { gpio_rises(GPIOB, 0); }
static inline void led_off(void) { gpio_falls(GPIOB, 0); }
static inline void pin_a_rises(void) { gpio_rises(GPIOG, 0); }
static inline void pin_a_falls(void) { gpio_falls(GPIOG, 0); }
static inline void pin_b_rises(void) { gpio_rises(GPIOG, 1); }
static inline void pin_b_falls(void) { gpio_falls(GPIOG, 1); }

/** Whether the UART takes a byte. */
static inline bool serial_is_ready(void) { return (USART3_SR & USART_SR_TXE) != 0; }
static inline void serial_put(char byte) { USART3_DR = (uint8_t)byte; }
/** Has the UART interrupt whenever it takes a byte, or no longer. */
static inline void serial_ask(void) { USART3_CR1 |= USART_CR1_TXEIE; }
static inline void serial_ask_no_more(void) {
    USART3_CR1 &= ~USART_CR1_TXEIE;
    (void)USART3_CR1; /* waits until the slower bus has the store, or the handler could run once too often */
}

/** Has the DMA hand `length` bytes over and interrupt after the last; they stay where they are until then. */
static inline void serial_dma_send(const char *bytes, uint32_t length) {
    DMA1_S3M0AR = (uint32_t)bytes;
    DMA1_S3NDTR = length;
    DMA1_S3CR = DMA_SXCR_CHSEL(4u) | DMA_SXCR_MINC | DMA_SXCR_DIR_TO_PERIPHERAL | DMA_SXCR_TCIE | DMA_SXCR_EN;
}
static inline void serial_dma_acknowledge(void) { DMA1_LIFCR = DMA_LIFCR_STREAM3; }

#endif
