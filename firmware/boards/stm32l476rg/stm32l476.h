/* The registers of the STM32L476 that the start-up code touches, named as RM0351 prints them. */
#ifndef CYCLESCOPE_STM32L476_H
#define CYCLESCOPE_STM32L476_H

#include "cortex_m.h"

/* RCC, 0x40021000 (RM0351, "RCC registers") */
#define RCC_CR REG32(0x40021000u)
#define RCC_CR_HSION (1u << 8)
#define RCC_CR_HSIRDY (1u << 10)
#define RCC_CR_PLLON (1u << 24)
#define RCC_CR_PLLRDY (1u << 25)
#define RCC_CFGR REG32(0x40021008u)
#define RCC_CFGR_SW_MASK (3u << 0)
#define RCC_CFGR_SW_PLL (3u << 0)
#define RCC_CFGR_SWS_MASK (3u << 2)
#define RCC_CFGR_SWS_PLL (3u << 2)
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

/* FLASH, 0x40022000 (RM0351, "Flash access control register") */
#define FLASH_ACR REG32(0x40022000u)
#define FLASH_ACR_LATENCY_MASK (7u << 0)
#define FLASH_ACR_LATENCY_4WS (4u << 0) /* 64 MHz < HCLK <= 80 MHz in range 1 */
#define FLASH_ACR_PRFTEN (1u << 8)
#define FLASH_ACR_ICEN (1u << 9)
#define FLASH_ACR_DCEN (1u << 10)

/* GPIOA, 0x48000000 (RM0351, "GPIO registers") */
#define GPIOA_MODER REG32(0x48000000u)
#define GPIOA_AFRL REG32(0x48000020u)

#define USART2_BASE 0x40004400u

/** HCLK, both PCLKs and the timers' clock after `board_init`, Hz. */
#define STM32L476_HCLK_HZ 80000000u

#endif
