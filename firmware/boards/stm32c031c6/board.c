/* Nucleo-C031C6: 48 MHz from the internal HSI48, the flash as RM0490 recommends for it, and one channel out. */
#include "board.h"

#include "stm32c031.h"

#if defined(CHANNEL_UART) + defined(CHANNEL_RTT) != 1
#error "define exactly one of CHANNEL_UART, CHANNEL_RTT"
#endif

extern uint32_t _sisr_vector[];

/* RM0490, "Increasing the CPU frequency": program the wait state, read it back, only then speed the clock up. */
static void clock_init(void) {
    FLASH_ACR = (FLASH_ACR & ~FLASH_ACR_LATENCY_MASK) | FLASH_ACR_LATENCY_1WS | FLASH_ACR_PRFTEN | FLASH_ACR_ICEN;
    while ((FLASH_ACR & FLASH_ACR_LATENCY_MASK) != FLASH_ACR_LATENCY_1WS) {
    }

    RCC_CR |= RCC_CR_HSION;
    while ((RCC_CR & RCC_CR_HSIRDY) == 0) {
    }
    RCC_CR &= ~RCC_CR_HSIDIV_MASK;
    while ((RCC_CR & RCC_CR_HSIDIV_MASK) != 0) {
    }

    /* HSISYS as the system clock, neither bus divided: what reset leaves, written all the same, because a bootloader
     * may have run before. */
    RCC_CFGR &= ~(RCC_CFGR_SW_MASK | RCC_CFGR_HPRE_MASK | RCC_CFGR_PPRE_MASK);
    while ((RCC_CFGR & RCC_CFGR_SWS_MASK) != 0) {
    }
}

#if defined(CHANNEL_UART)

#define UART_BASE USART2_BASE
#define UART_PCLK_HZ STM32C031_HCLK_HZ /* BRR 417: 115,108 baud, 0.08 % low */
#include "stm32_uart_isr.h"

/* USART2_TX is alternate function 1 of PA2 (DS13867, alternate functions), wired to the Nucleo's ST-LINK. */
static void channel_init(void) {
    RCC_IOPENR |= RCC_IOPENR_GPIOAEN;
    (void)RCC_IOPENR; /* RM0490: two clock cycles between the enable bit and the first access; a read takes them */
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
