/* The registers of the STM32F446 that the start-up code touches, named as RM0390 prints them. */
#ifndef CYCLESCOPE_STM32F446_H
#define CYCLESCOPE_STM32F446_H

#include "cortex_m.h"

/* RCC, 0x40023800 (RM0390, "RCC registers") */
#define RCC_CR REG32(0x40023800u)
#define RCC_CR_HSEON (1u << 16)
#define RCC_CR_HSERDY (1u << 17)
#define RCC_CR_HSEBYP (1u << 18)
#define RCC_CR_PLLON (1u << 24)
#define RCC_CR_PLLRDY (1u << 25)
#define RCC_PLLCFGR REG32(0x40023804u)
#define RCC_PLLCFGR_PLLM(m) ((m) << 0)
#define RCC_PLLCFGR_PLLN(n) ((n) << 6)
#define RCC_PLLCFGR_PLLP_2 (0u << 16)
#define RCC_PLLCFGR_PLLSRC_HSE (1u << 22)
#define RCC_PLLCFGR_PLLQ(q) ((q) << 24)
#define RCC_PLLCFGR_PLLR(r) ((r) << 28)
#define RCC_CFGR REG32(0x40023808u)
#define RCC_CFGR_SW_MASK (3u << 0)
#define RCC_CFGR_SW_PLL (2u << 0)
#define RCC_CFGR_SWS_MASK (3u << 2)
#define RCC_CFGR_SWS_PLL (2u << 2)
#define RCC_CFGR_PPRE1_DIV4 (5u << 10) /* APB1 runs at 45 MHz at most */
#define RCC_CFGR_PPRE2_DIV2 (4u << 13) /* APB2 runs at 90 MHz at most */
#define RCC_AHB1ENR REG32(0x40023830u)
#define RCC_AHB1ENR_GPIODEN (1u << 3)
#define RCC_APB1ENR REG32(0x40023840u)
#define RCC_APB1ENR_TIM3EN (1u << 1)
#define RCC_APB1ENR_USART3EN (1u << 18)
#define RCC_APB1ENR_PWREN (1u << 28)

/* PWR, 0x40007000 (RM0390, "PWR registers") */
#define PWR_CR REG32(0x40007000u)
#define PWR_CR_VOS_SCALE1 (3u << 14)
#define PWR_CR_ODEN (1u << 16)
#define PWR_CR_ODSWEN (1u << 17)
#define PWR_CSR REG32(0x40007004u)
#define PWR_CSR_ODRDY (1u << 16)
#define PWR_CSR_ODSWRDY (1u << 17)

/* FLASH, 0x40023C00 (RM0390, "Flash access control register") */
#define FLASH_ACR REG32(0x40023C00u)
#define FLASH_ACR_LATENCY_MASK (15u << 0)
#define FLASH_ACR_LATENCY_5WS (5u << 0) /* 150 MHz < HCLK <= 180 MHz at 2.7 V and more */
#define FLASH_ACR_PRFTEN (1u << 8)
#define FLASH_ACR_ICEN (1u << 9)
#define FLASH_ACR_DCEN (1u << 10)

/* GPIOD, 0x40020C00 (RM0390, "GPIO registers") */
#define GPIOD_MODER REG32(0x40020C00u)
#define GPIOD_AFRH REG32(0x40020C24u)

#define USART3_BASE 0x40004800u

/** Clocks after `board_init`, Hz. The timers of APB1 get twice PCLK1, because its prescaler is not 1. */
#define STM32F446_HCLK_HZ 180000000u
#define STM32F446_PCLK1_HZ 45000000u
#define STM32F446_TIM3_HZ 90000000u

#endif
