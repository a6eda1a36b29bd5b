/* The registers of the STM32F411 that the start-up code touches, named as RM0383 prints them. */
#ifndef CYCLESCOPE_STM32F411_H
#define CYCLESCOPE_STM32F411_H

#include "cortex_m.h"

/* RCC, 0x40023800 (RM0383, "RCC registers") */
#define RCC_CR REG32(0x40023800u)
#define RCC_CR_HSEON (1u << 16)
#define RCC_CR_HSERDY (1u << 17)
#define RCC_CR_PLLON (1u << 24)
#define RCC_CR_PLLRDY (1u << 25)
#define RCC_PLLCFGR REG32(0x40023804u)
#define RCC_PLLCFGR_PLLM(m) ((m) << 0)
#define RCC_PLLCFGR_PLLN(n) ((n) << 6)
#define RCC_PLLCFGR_PLLP_2 (0u << 16)
#define RCC_PLLCFGR_PLLSRC_HSE (1u << 22)
#define RCC_PLLCFGR_PLLQ(q) ((q) << 24)
#define RCC_CFGR REG32(0x40023808u)
#define RCC_CFGR_SW_MASK (3u << 0)
#define RCC_CFGR_SW_PLL (2u << 0)
#define RCC_CFGR_SWS_MASK (3u << 2)
#define RCC_CFGR_SWS_PLL (2u << 2)
#define RCC_CFGR_PPRE1_DIV2 (4u << 10) /* APB1 runs at 50 MHz at most */
#define RCC_AHB1ENR REG32(0x40023830u)
#define RCC_AHB1ENR_GPIOAEN (1u << 0)
#define RCC_APB1ENR REG32(0x40023840u)
#define RCC_APB1ENR_TIM3EN (1u << 1)
#define RCC_APB1ENR_USART2EN (1u << 17)
#define RCC_APB1ENR_PWREN (1u << 28)

/* PWR, 0x40007000 (RM0383, "PWR registers") */
#define PWR_CR REG32(0x40007000u)
#define PWR_CR_VOS_SCALE1 (3u << 14) /* more than 84 MHz needs it */

/* FLASH, 0x40023C00 (RM0383, "Flash access control register") */
#define FLASH_ACR REG32(0x40023C00u)
#define FLASH_ACR_LATENCY_MASK (15u << 0)
#define FLASH_ACR_LATENCY_3WS (3u << 0) /* 90 MHz < HCLK <= 100 MHz at 2.7 V and more */
#define FLASH_ACR_PRFTEN (1u << 8)
#define FLASH_ACR_ICEN (1u << 9)
#define FLASH_ACR_DCEN (1u << 10)

/* GPIOA, 0x40020000 (RM0383, "GPIO registers") */
#define GPIOA_MODER REG32(0x40020000u)
#define GPIOA_AFRL REG32(0x40020020u)

#define USART2_BASE 0x40004400u

/** Clocks after `board_init`, Hz. The timers of APB1 get twice PCLK1, because its prescaler is not 1. */
#define STM32F411_HCLK_HZ 100000000u
#define STM32F411_PCLK1_HZ 50000000u
#define STM32F411_TIM3_HZ 100000000u

#endif
