/* The registers of the STM32G071 that the start-up code touches, named as RM0444 prints them. */
#ifndef CYCLESCOPE_STM32G071_H
#define CYCLESCOPE_STM32G071_H

#include "cortex_m.h"

/* RCC, 0x40021000 (RM0444, "RCC registers") */
#define RCC_CR REG32(0x40021000u)
#define RCC_CR_PLLON (1u << 24)
#define RCC_CR_PLLRDY (1u << 25)
#define RCC_CFGR REG32(0x40021008u)
#define RCC_CFGR_SW_MASK (7u << 0)
#define RCC_CFGR_SW_PLLRCLK (2u << 0)
#define RCC_CFGR_SWS_MASK (7u << 3)
#define RCC_CFGR_SWS_PLLRCLK (2u << 3)
#define RCC_PLLCFGR REG32(0x4002100Cu)
#define RCC_PLLCFGR_PLLSRC_HSI16 (2u << 0)
#define RCC_PLLCFGR_PLLM(m) (((m) - 1u) << 4)
#define RCC_PLLCFGR_PLLN(n) ((n) << 8)
#define RCC_PLLCFGR_PLLREN (1u << 28)
#define RCC_PLLCFGR_PLLR(r) (((r) - 1u) << 29)
#define RCC_IOPENR REG32(0x40021034u)
#define RCC_IOPENR_GPIOAEN (1u << 0)
#define RCC_APBENR1 REG32(0x4002103Cu)
#define RCC_APBENR1_TIM3EN (1u << 1)
#define RCC_APBENR1_USART2EN (1u << 17)

/* FLASH, 0x40022000 (RM0444, "Flash access control register") */
#define FLASH_ACR REG32(0x40022000u)
#define FLASH_ACR_LATENCY_MASK (7u << 0)
#define FLASH_ACR_LATENCY_2WS (2u << 0) /* 48 MHz < HCLK <= 64 MHz in range 1 */
#define FLASH_ACR_PRFTEN (1u << 8)
#define FLASH_ACR_ICEN (1u << 9)

/* GPIOA, 0x50000000 (RM0444, "GPIO registers") */
#define GPIOA_MODER REG32(0x50000000u)
#define GPIOA_AFRL REG32(0x50000020u)

#define USART2_BASE 0x40004400u

/** HCLK, PCLK and the timers' clock after `board_init`, Hz. */
#define STM32G071_HCLK_HZ 64000000u

#endif
