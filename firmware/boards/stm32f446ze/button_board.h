/* The button program's hardware on the Nucleo-F446ZE: PC13 by EXTI13, LED PB0, pins A and B PG0 and PG1, USART3 on PD8
 * with stream 3 of DMA1 (RM0390). `board_init` has set clocks, PD8 and USART3 up before. */
#ifndef CYCLESCOPE_BUTTON_BOARD_H
#define CYCLESCOPE_BUTTON_BOARD_H

#include "cortex_m.h"

#define GPIOB 0x40020400u
#define GPIOC 0x40020800u
#define GPIOG 0x40021800u
#define BUTTON_PORT GPIOC
#define BUTTON_PORT_NUMBER 2u
#define BUTTON_PIN 13u
#define LED_PORT GPIOB
#define LED_PIN 0u
#define A_PORT GPIOG
#define A_PIN 0u
#define B_PORT GPIOG
#define B_PIN 1u

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

#define EXTI_BASE 0x40013C00u
#define SYSCFG_BASE 0x40013800u
#define SERIAL_BASE 0x40004800u
/* Stream 3 takes USART3_TX as channel 4 (RM0390, "DMA1 request mapping"). */
#define DMA_STREAM 3u
#define DMA_REQUEST 4u

#include "button_dma_stream.h"
#include "button_exti.h"
#include "button_pins.h"
#include "button_uart.h"

#define RCC_AHB1ENR_GPIOBEN (1u << 1)
#define RCC_AHB1ENR_GPIOCEN (1u << 2)
#define RCC_AHB1ENR_GPIOGEN (1u << 6)
#define RCC_APB2ENR REG32(0x40023844u)
#define RCC_APB2ENR_SYSCFGEN (1u << 14)

static inline void button_clocks_on(void) {
    RCC_AHB1ENR |= RCC_AHB1ENR_GPIOBEN | RCC_AHB1ENR_GPIOCEN | RCC_AHB1ENR_GPIOGEN;
    RCC_APB2ENR |= RCC_APB2ENR_SYSCFGEN;
    (void)RCC_APB2ENR;
}

#endif
