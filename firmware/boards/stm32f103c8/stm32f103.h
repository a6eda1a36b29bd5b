/* The registers of the STM32F103 that the start-up code touches, named as RM0008 and PM0075 print them. */
#ifndef CYCLESCOPE_STM32F103_H
#define CYCLESCOPE_STM32F103_H

#include "cortex_m.h"

/* RCC, 0x40021000 (RM0008, "RCC registers") */
#define RCC_CR REG32(0x40021000u)
#define RCC_CR_HSEON (1u << 16)
#define RCC_CR_HSERDY (1u << 17)
#define RCC_CR_PLLON (1u << 24)
#define RCC_CR_PLLRDY (1u << 25)
#define RCC_CFGR REG32(0x40021004u)
#define RCC_CFGR_SW_MASK (3u << 0)
#define RCC_CFGR_SW_PLL (2u << 0)
#define RCC_CFGR_SWS_MASK (3u << 2)
#define RCC_CFGR_SWS_PLL (2u << 2)
#define RCC_CFGR_PPRE1_DIV2 (4u << 8) /* APB1 runs at 36 MHz at most */
#define RCC_CFGR_PLLSRC_HSE (1u << 16)
#define RCC_CFGR_PLLMUL_9 (7u << 18)
#define RCC_APB2ENR REG32(0x40021018u)
#define RCC_APB2ENR_IOPAEN (1u << 2)
#define RCC_APB1ENR REG32(0x4002101Cu)
#define RCC_APB1ENR_TIM3EN (1u << 1)
#define RCC_APB1ENR_USART2EN (1u << 17)

/* FLASH, 0x40022000 (PM0075, "Flash access control register") */
#define FLASH_ACR REG32(0x40022000u)
#define FLASH_ACR_LATENCY_MASK (7u << 0)
#define FLASH_ACR_LATENCY_2WS (2u << 0) /* 48 MHz < SYSCLK <= 72 MHz */
#define FLASH_ACR_PRFTBE (1u << 4)
#define FLASH_ACR_PRFTBS (1u << 5)

/* GPIOA, 0x40010800 (RM0008, "GPIO registers") */
#define GPIOA_CRL REG32(0x40010800u)
#define GPIO_CR_ALTERNATE_2MHZ 0xAu /* CNF 10: alternate function, push-pull; MODE 10: output up to 2 MHz */

#define USART2_BASE 0x40004400u

/** Clocks after `board_init`, Hz. The timers of APB1 get twice PCLK1, because its prescaler is not 1. */
#define STM32F103_HCLK_HZ 72000000u
#define STM32F103_PCLK1_HZ 36000000u
#define STM32F103_TIM3_HZ 72000000u

#endif
