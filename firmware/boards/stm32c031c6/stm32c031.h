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

#define USART2_BASE 0x40004400u

/** HCLK, PCLK and the timers' clock after `board_init`, Hz. */
#define STM32C031_HCLK_HZ 48000000u

#endif
