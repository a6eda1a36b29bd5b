/* The button program's hardware on the Nucleo-C031C6 and the Nucleo-G071RB, which have it at the same places: PC13 by
 * EXTI13, LED PA5, pins A and B PA0 and PA1, USART2 on PA2 with channel 1 of DMA1 (RM0490 and RM0444). */
#ifndef CYCLESCOPE_BUTTON_C0_G0_H
#define CYCLESCOPE_BUTTON_C0_G0_H

#include "cortex_m.h"

#define GPIOA 0x50000000u
#define GPIOC 0x50000800u
#define BUTTON_PORT GPIOC
#define BUTTON_PORT_NUMBER 2u
#define BUTTON_PIN 13u
#define LED_PORT GPIOA
#define LED_PIN 5u
#define A_PORT GPIOA
#define A_PIN 0u
#define B_PORT GPIOA
#define B_PIN 1u

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

#define SERIAL_BASE 0x40004400u
#define DMA_CHANNEL 1u

#include "button_dma_channel.h"
#include "button_exti_apart.h"
#include "button_pins.h"
#include "button_uart_isr.h"

#define RCC_IOPENR REG32(0x40021034u)
#define RCC_IOPENR_GPIOAEN (1u << 0)
#define RCC_IOPENR_GPIOCEN (1u << 2)
#define RCC_AHBENR REG32(0x40021038u)
#define RCC_AHBENR_DMA1EN (1u << 0)
#define DMAMUX1_C0CR REG32(0x40020800u)
#define DMAMUX_USART2_TX 53u /* RM0490 and RM0444, "DMAMUX: assignment of multiplexer inputs to resources" */

static inline void button_clocks_on(void) {
    RCC_IOPENR |= RCC_IOPENR_GPIOAEN | RCC_IOPENR_GPIOCEN;
    (void)RCC_IOPENR; /* RM0490: two clock cycles between the enable bit and the first access; a read takes them */
}

static inline void serial_dma_clock_on(void) {
    RCC_AHBENR |= RCC_AHBENR_DMA1EN;
    (void)RCC_AHBENR;
    DMAMUX1_C0CR = DMAMUX_USART2_TX;
}

#endif
