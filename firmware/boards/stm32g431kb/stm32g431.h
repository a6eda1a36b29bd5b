/* The registers of the STM32G431 that the start-up code touches, named as RM0440 prints them. */
#ifndef CYCLESCOPE_STM32G431_H
#define CYCLESCOPE_STM32G431_H

#include "cortex_m.h"

/* RCC, 0x40021000 (RM0440, "RCC registers") */
#define RCC_CR REG32(0x40021000u)
#define RCC_CR_PLLON (1u << 24)
#define RCC_CR_PLLRDY (1u << 25)
#define RCC_CFGR REG32(0x40021008u)
#define RCC_CFGR_SW_MASK (3u << 0)
#define RCC_CFGR_SW_PLL (3u << 0)
#define RCC_CFGR_SWS_MASK (3u << 2)
#define RCC_CFGR_SWS_PLL (3u << 2)
#define RCC_CFGR_HPRE_MASK (15u << 4)
#define RCC_CFGR_HPRE_DIV2 (8u << 4)
#define RCC_PLLCFGR REG32(0x4002100Cu)
#define RCC_PLLCFGR_PLLSRC_HSI16 (2u << 0)
#define RCC_PLLCFGR_PLLM(m) (((m) - 1u) << 4)
#define RCC_PLLCFGR_PLLN(n) ((n) << 8)
#define RCC_PLLCFGR_PLLREN (1u << 24)
#define RCC_PLLCFGR_PLLR_2 (0u << 25)
#define RCC_AHB2ENR REG32(0x4002104Cu)
#define RCC_AHB2ENR_GPIOAEN (1u << 0)
#define RCC_APB1ENR1 REG32(0x40021058u)
#define RCC_APB1ENR1_TIM3EN (1u << 1)
#define RCC_APB1ENR1_USART2EN (1u << 17)
#define RCC_APB1ENR1_PWREN (1u << 28)

/* PWR, 0x40007000 (RM0440, "PWR registers") */
#define PWR_CR5 REG32(0x40007080u)
#define PWR_CR5_R1MODE (1u << 8) /* cleared: range 1 boost, which more than 150 MHz needs */

/* FLASH, 0x40022000 (RM0440, "Flash access control register") */
#define FLASH_ACR REG32(0x40022000u)
#define FLASH_ACR_LATENCY_MASK (15u << 0)
#define FLASH_ACR_LATENCY_4WS (4u << 0) /* 136 MHz < HCLK <= 170 MHz in range 1 boost */
#define FLASH_ACR_PRFTEN (1u << 8)
#define FLASH_ACR_ICEN (1u << 9)
#define FLASH_ACR_DCEN (1u << 10)

/* GPIOA, 0x48000000 (RM0440, "GPIO registers") */
#define GPIOA_MODER REG32(0x48000000u)
#define GPIOA_AFRL REG32(0x48000020u)

#define USART2_BASE 0x40004400u

/** HCLK, both PCLKs and the timers' clock after `board_init`, Hz. */
#define STM32G431_HCLK_HZ 170000000u

#endif
