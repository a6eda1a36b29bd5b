/* Nucleo-G071RB: 64 MHz by the PLL from HSI16, the flash with prefetch and its cache, and one channel out. */
#include "board.h"

#include "stm32g071.h"

#if defined(CHANNEL_UART) + defined(CHANNEL_RTT) != 1
#error "define exactly one of CHANNEL_UART, CHANNEL_RTT"
#endif

extern uint32_t _sisr_vector[];

/* From the state that reset leaves: HSI16 as the system clock, voltage range 1. RM0444, "Increasing the CPU frequency":
 * program the wait states, read them back, only then speed the clock up. */
static void clock_init(void) {
    FLASH_ACR = (FLASH_ACR & ~FLASH_ACR_LATENCY_MASK) | FLASH_ACR_LATENCY_2WS | FLASH_ACR_PRFTEN | FLASH_ACR_ICEN;
    while ((FLASH_ACR & FLASH_ACR_LATENCY_MASK) != FLASH_ACR_LATENCY_2WS) {
    }

    /* 16 MHz * 8 = 128 MHz, halved. */
    RCC_PLLCFGR = RCC_PLLCFGR_PLLSRC_HSI16 | RCC_PLLCFGR_PLLM(1u) | RCC_PLLCFGR_PLLN(8u) | RCC_PLLCFGR_PLLR(2u) |
                  RCC_PLLCFGR_PLLREN;
    RCC_CR |= RCC_CR_PLLON;
    while ((RCC_CR & RCC_CR_PLLRDY) == 0) {
    }
    RCC_CFGR = (RCC_CFGR & ~RCC_CFGR_SW_MASK) | RCC_CFGR_SW_PLLRCLK; /* neither bus divided, as after reset */
    while ((RCC_CFGR & RCC_CFGR_SWS_MASK) != RCC_CFGR_SWS_PLLRCLK) {
    }
}

#if defined(CHANNEL_UART)

#define UART_BASE USART2_BASE
#define UART_PCLK_HZ STM32G071_HCLK_HZ /* BRR 556: 115,108 baud, 0.08 % low */
#include "stm32_uart_isr.h"

/* USART2_TX is alternate function 1 of PA2 (DS12232, alternate functions), wired to the ST-LINK's virtual port (UM2324). */
static void channel_init(void) {
    RCC_IOPENR |= RCC_IOPENR_GPIOAEN;
    (void)RCC_IOPENR;
    GPIOA_AFRL = (GPIOA_AFRL & ~(15u << 8)) | (1u << 8);
    GPIOA_MODER = (GPIOA_MODER & ~(3u << 4)) | (2u << 4);

    RCC_APBENR1 |= RCC_APBENR1_USART2EN;
    (void)RCC_APBENR1;
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
