/* The registers of the STM32C031 that the start-up code touches, named as RM0490 prints them. */
#ifndef CYCLESCOPE_STM32C031_H
#define CYCLESCOPE_STM32C031_H

#include "cortex_m.h"

/* RCC, 0x40021000 (RM0490, "RCC registers") */
#define RCC_CR REG32(0x40021000u)
#define RCC_CR_HSION (1u << 8)
#define RCC_CR_HSIRDY (1u << 10)
#define RCC_CR_HSIDIV_MASK (7u << 11) /* 0 divides by 1; reset leaves 2, which divides by 4 */
#define RCC_CFGR REG32(0x40021008u)
#define RCC_CFGR_SW_MASK (7u << 0) /* 0: HSISYS, the divided HSI48 */
#define RCC_CFGR_SWS_MASK (7u << 3)
#define RCC_CFGR_HPRE_MASK (15u << 8)
#define RCC_CFGR_PPRE_MASK (7u << 12)
#define RCC_IOPENR REG32(0x40021034u)
#define RCC_IOPENR_GPIOAEN (1u << 0)
#define RCC_APBENR1 REG32(0x4002103Cu)
#define RCC_APBENR1_TIM3EN (1u << 1)
#define RCC_APBENR1_USART2EN (1u << 17)

/* FLASH, 0x40022000 (RM0490, "FLASH registers") */
#define FLASH_ACR REG32(0x40022000u)
#define FLASH_ACR_LATENCY_MASK (7u << 0)
#define FLASH_ACR_LATENCY_1WS (1u << 0) /* 24 MHz < HCLK <= 48 MHz */
#define FLASH_ACR_PRFTEN (1u << 8)
#define FLASH_ACR_ICEN (1u << 9)

/* GPIOA, 0x50000000 (RM0490, "GPIO registers") */
#define GPIOA_MODER REG32(0x50000000u)
#define GPIOA_AFRL REG32(0x50000020u)

/* USART2, 0x40004400 (RM0490, "USART registers") */
#define USART2_CR1 REG32(0x40004400u)
#define USART_CR1_UE (1u << 0)
#define USART_CR1_TE (1u << 3)
#define USART2_CR2 REG32(0x40004404u)
#define USART2_CR3 REG32(0x40004408u)
#define USART2_BRR REG32(0x4000440Cu)
#define USART2_ISR REG32(0x4000441Cu)
#define USART_ISR_TC (1u << 6)
#define USART_ISR_TXE (1u << 7)
#define USART_ISR_TEACK (1u << 21)
#define USART2_TDR REG32(0x40004428u)

/* TIM3, 0x40000400 (RM0490, "TIM3 registers"): general-purpose, 16 bits, on the APB timer clock */
#define TIM3_CR1 REG32(0x40000400u)
#define TIM_CR1_CEN (1u << 0)
#define TIM3_SR REG32(0x40000410u)
#define TIM3_EGR REG32(0x40000414u)
#define TIM_EGR_UG (1u << 0)
#define TIM3_CNT REG32(0x40000424u)
#define TIM3_PSC REG32(0x40000428u)
#define TIM3_ARR REG32(0x4000042Cu)

/** HCLK and PCLK after `board_init`, Hz. */
#define STM32C031_HCLK_HZ 48000000u

#endif
