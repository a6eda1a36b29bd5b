/* The button program's hardware on the Black Pill: its key on PA0 by EXTI0, an LED wired to PB10 (its own, on PC13, is
 * lit when low), pins A and B PB0 and PB1, USART2 on PA2 with stream 6 of DMA1 (RM0383). `board_init` has set clocks,
 * PA2 and USART2 up before. */
#ifndef CYCLESCOPE_BUTTON_BOARD_H
#define CYCLESCOPE_BUTTON_BOARD_H

#include "cortex_m.h"

#define GPIOA 0x40020000u
#define GPIOB 0x40020400u
#define BUTTON_PORT GPIOA
#define BUTTON_PORT_NUMBER 0u
#define BUTTON_PIN 0u
#define LED_PORT GPIOB
#define LED_PIN 10u
#define A_PORT GPIOB
#define A_PIN 0u
#define B_PORT GPIOB
#define B_PIN 1u

/** SysTick's clock, Hz. */
#define BUTTON_CORE_HZ 100000000u

/** The handlers' names in the vector table, and the interrupts' numbers. */
#define Button_Handler EXTI0_IRQHandler
#define Serial_Handler USART2_IRQHandler
#define SerialDma_Handler DMA1_Stream6_IRQHandler
#define BUTTON_IRQ 6u
#define SERIAL_IRQ 38u
#define SERIAL_DMA_IRQ 17u

/** Priorities as the register has them, 4 bits: no kernel masks 5 and below, and the tick has the last. */
#define BUTTON_PRIORITY 0x50u
#define SERIAL_PRIORITY 0x60u
#define TICK_PRIORITY 0xF0u

#define EXTI_BASE 0x40013C00u
#define SYSCFG_BASE 0x40013800u
#define SERIAL_BASE 0x40004400u
/* Stream 6 takes USART2_TX as channel 4 (RM0383, "DMA1 request mapping"). */
#define DMA_STREAM 6u
#define DMA_REQUEST 4u

#include "button_dma_stream.h"
#include "button_exti.h"
#include "button_pins.h"
#include "button_uart.h"

#define RCC_AHB1ENR_GPIOAEN (1u << 0)
#define RCC_AHB1ENR_GPIOBEN (1u << 1)
#define RCC_APB2ENR REG32(0x40023844u)
#define RCC_APB2ENR_SYSCFGEN (1u << 14)

static inline void button_clocks_on(void) {
    RCC_AHB1ENR |= RCC_AHB1ENR_GPIOAEN | RCC_AHB1ENR_GPIOBEN;
    RCC_APB2ENR |= RCC_APB2ENR_SYSCFGEN;
    (void)RCC_APB2ENR;
}

#endif
