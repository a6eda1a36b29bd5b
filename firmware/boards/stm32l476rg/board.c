/* Nucleo-L476RG: 80 MHz by the PLL from HSI16, the flash with prefetch and both caches, and one channel out. */
#include "board.h"

#include "stm32l476.h"

#if defined(CHANNEL_UART) + defined(CHANNEL_RTT) != 1
#error "define exactly one of CHANNEL_UART, CHANNEL_RTT"
#endif

extern uint32_t _sisr_vector[];

/* From the state that reset leaves: MSI at 4 MHz as the system clock, voltage range 1. RM0351, "Increasing the CPU
 * frequency": program the wait states, read them back, only then speed the clock up. */
static void clock_init(void) {
    FLASH_ACR = (FLASH_ACR & ~FLASH_ACR_LATENCY_MASK) | FLASH_ACR_LATENCY_4WS | FLASH_ACR_PRFTEN | FLASH_ACR_ICEN |
                FLASH_ACR_DCEN;
    while ((FLASH_ACR & FLASH_ACR_LATENCY_MASK) != FLASH_ACR_LATENCY_4WS) {
    }

    RCC_CR |= RCC_CR_HSION;
    while ((RCC_CR & RCC_CR_HSIRDY) == 0) {
    }

    /* 16 MHz * 10 = 160 MHz, halved. */
    RCC_PLLCFGR = RCC_PLLCFGR_PLLSRC_HSI16 | RCC_PLLCFGR_PLLM(1u) | RCC_PLLCFGR_PLLN(10u) | RCC_PLLCFGR_PLLR_2 |
                  RCC_PLLCFGR_PLLREN;
    RCC_CR |= RCC_CR_PLLON;
    while ((RCC_CR & RCC_CR_PLLRDY) == 0) {
    }
    RCC_CFGR |= RCC_CFGR_SW_PLL; /* neither bus divided, as after reset */
    while ((RCC_CFGR & RCC_CFGR_SWS_MASK) != RCC_CFGR_SWS_PLL) {
    }
}

#if defined(CHANNEL_UART)

#define UART_BASE USART2_BASE
#define UART_PCLK_HZ STM32L476_HCLK_HZ /* BRR 694: 115,274 baud, 0.06 % high */
#include "stm32_uart_isr.h"

/* USART2_TX is alternate function 7 of PA2 (DS10198, alternate functions), wired to the ST-LINK's virtual port (UM1724). */
static void channel_init(void) {
    RCC_AHB2ENR |= RCC_AHB2ENR_GPIOAEN;
    (void)RCC_AHB2ENR;
    GPIOA_AFRL = (GPIOA_AFRL & ~(15u << 8)) | (7u << 8);
    GPIOA_MODER = (GPIOA_MODER & ~(3u << 4)) | (2u << 4);

    RCC_APB1ENR1 |= RCC_APB1ENR1_USART2EN;
    (void)RCC_APB1ENR1;
    uart_init();
}

void board_write(const char *text) { uart_write(text); }

static void channel_drain(void) { uart_drain(); }

#else

#include "rtt.h"

static void channel_init(void) { rtt_init(); }

void board_write(const char *text) { rtt_write(text); }

static void channel_drain(void) {} /* the report stands in RAM until a probe fetches it */

#endif

void board_init(void) {
    SCB_VTOR = (uint32_t)_sisr_vector;
    clock_init();
    channel_init();
}

_Noreturn void board_exit(void) {
    channel_drain();
    sleep_for_ever();
}
