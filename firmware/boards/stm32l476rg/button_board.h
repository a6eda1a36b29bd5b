/* The button program's hardware on the Nucleo-L476RG: PC13 by EXTI13, LED PA5, pins A and B PA0 and PA1, USART2 on PA2
 * with channel 7 of DMA1 (RM0351). `board_init` has set clocks, PA2 and USART2 up before. */
#ifndef CYCLESCOPE_BUTTON_BOARD_H
#define CYCLESCOPE_BUTTON_BOARD_H

#include "cortex_m.h"

#define GPIOA 0x48000000u
#define GPIOC 0x48000800u
#define BUTTON_PORT GPIOC
#define BUTTON_PORT_NUMBER 2u
#define BUTTON_PIN 13u
#define LED_PORT GPIOA
#define LED_PIN 5u
#define A_PORT GPIOA
#define A_PIN 0u
#define B_PORT GPIOA
#define B_PIN 1u

/** SysTick's clock, Hz. */
#define BUTTON_CORE_HZ 80000000u

/** The handlers' names in the vector table, and the interrupts' numbers. */
#define Button_Handler EXTI15_10_IRQHandler
#define Serial_Handler USART2_IRQHandler
#define SerialDma_Handler DMA1_Channel7_IRQHandler
#define BUTTON_IRQ 40u
#define SERIAL_IRQ 38u
#define SERIAL_DMA_IRQ 17u

/** Priorities as the register has them, 4 bits: no kernel masks 5 and below, and the tick has the last. */
#define BUTTON_PRIORITY 0x50u
#define SERIAL_PRIORITY 0x60u
#define TICK_PRIORITY 0xF0u

#define EXTI_BASE 0x40010400u
#define SYSCFG_BASE 0x40010000u
#define SERIAL_BASE 0x40004400u
#define DMA_CHANNEL 7u

#include "button_dma_channel.h"
#include "button_exti.h"
#include "button_pins.h"
#include "button_uart_isr.h"

#define RCC_AHB1ENR REG32(0x40021048u)
#define RCC_AHB1ENR_DMA1EN (1u << 0)
#define RCC_AHB2ENR REG32(0x4002104Cu)
#define RCC_AHB2ENR_GPIOAEN (1u << 0)
#define RCC_AHB2ENR_GPIOCEN (1u << 2)
#define RCC_APB2ENR REG32(0x40021060u)
#define RCC_APB2ENR_SYSCFGEN (1u << 0)
#define DMA1_CSELR REG32(0x400200A8u)
#define DMA_CSELR_C7S(request) ((request) << 24) /* 2 is USART2_TX (RM0351, "DMA1 requests for each channel") */

static inline void button_clocks_on(void) {
    RCC_AHB2ENR |= RCC_AHB2ENR_GPIOAEN | RCC_AHB2ENR_GPIOCEN;
    RCC_APB2ENR |= RCC_APB2ENR_SYSCFGEN;
    (void)RCC_APB2ENR;
}

static inline void serial_dma_clock_on(void) {
    RCC_AHB1ENR |= RCC_AHB1ENR_DMA1EN;
    (void)RCC_AHB1ENR;
    DMA1_CSELR = DMA_CSELR_C7S(2u);
}

#endif
