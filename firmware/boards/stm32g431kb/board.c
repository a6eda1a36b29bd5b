/* Nucleo-G431KB: 170 MHz by the PLL from HSI16 in range 1 boost, the flash with prefetch and both caches, and one channel
 * out. */
#include "board.h"

#include "stm32g431.h"

#if defined(CHANNEL_UART) + defined(CHANNEL_RTT) != 1
#error "define exactly one of CHANNEL_UART, CHANNEL_RTT"
#endif

extern uint32_t _sisr_vector[];

/* From the state that reset leaves: HSI16 as the system clock, range 1 normal. In the order of RM0440, "Sequence to
 * switch from range 1 normal mode to range 1 boost mode": half the clock, boost, wait states, the PLL, a microsecond at
 * least, then the whole clock. */
static void clock_init(void) {
    RCC_APB1ENR1 |= RCC_APB1ENR1_PWREN;
    (void)RCC_APB1ENR1;

    RCC_CFGR = (RCC_CFGR & ~RCC_CFGR_HPRE_MASK) | RCC_CFGR_HPRE_DIV2;
    PWR_CR5 &= ~PWR_CR5_R1MODE;
    FLASH_ACR = (FLASH_ACR & ~FLASH_ACR_LATENCY_MASK) | FLASH_ACR_LATENCY_4WS | FLASH_ACR_PRFTEN | FLASH_ACR_ICEN |
                FLASH_ACR_DCEN;
    while ((FLASH_ACR & FLASH_ACR_LATENCY_MASK) != FLASH_ACR_LATENCY_4WS) {
    }

    /* 16 MHz / 4 * 85 = 340 MHz, halved. */
    RCC_PLLCFGR = RCC_PLLCFGR_PLLSRC_HSI16 | RCC_PLLCFGR_PLLM(4u) | RCC_PLLCFGR_PLLN(85u) | RCC_PLLCFGR_PLLR_2 |
                  RCC_PLLCFGR_PLLREN;
    RCC_CR |= RCC_CR_PLLON;
    while ((RCC_CR & RCC_CR_PLLRDY) == 0) {
    }
    RCC_CFGR |= RCC_CFGR_SW_PLL;
    while ((RCC_CFGR & RCC_CFGR_SWS_MASK) != RCC_CFGR_SWS_PLL) {
    }

    /* A microsecond is 85 cycles of the halved clock; a turn takes one at least. */
    for (uint32_t turns = 85; turns != 0; turns -= 1) {
        __asm volatile("");
    }
    RCC_CFGR &= ~RCC_CFGR_HPRE_MASK;
}

#if defined(CHANNEL_UART)

#define UART_BASE USART2_BASE
#define UART_PCLK_HZ STM32G431_HCLK_HZ /* BRR 1476: 115,176 baud, 0.02 % low */
#include "stm32_uart_isr.h"

/* USART2_TX is alternate function 7 of PA2 (DS12589, alternate functions), wired to the ST-LINK's virtual port (UM2397). */
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
