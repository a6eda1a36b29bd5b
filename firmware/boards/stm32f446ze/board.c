/* Nucleo-F446ZE: 180 MHz by the PLL and over-drive, the flash with prefetch and both caches, and one channel out. */
#include "board.h"

#include "stm32f446.h"

#if defined(CHANNEL_UART) + defined(CHANNEL_RTT) != 1
#error "define exactly one of CHANNEL_UART, CHANNEL_RTT"
#endif

extern uint32_t _sisr_vector[];

/* From the state that reset leaves (HSI as the system clock), in the order of RM0390, "Entering Over-drive mode". */
static void clock_init(void) {
    /* The ST-LINK drives OSC_IN with 8 MHz; no crystal is fitted (UM1974, "OSC clock supply"). */
    RCC_CR |= RCC_CR_HSEBYP;
    RCC_CR |= RCC_CR_HSEON;
    while ((RCC_CR & RCC_CR_HSERDY) == 0) {
    }

    RCC_APB1ENR |= RCC_APB1ENR_PWREN;
    (void)RCC_APB1ENR;
    PWR_CR |= PWR_CR_VOS_SCALE1;

    /* 8 MHz / 4 = 2 MHz, as RM0390 recommends against jitter; * 180 = 360 MHz; / 2 = 180 MHz. The other outputs are not
     * used: / 8 = 45 MHz keeps Q below the 48 MHz that it may have, R stays at 2. */
    RCC_PLLCFGR = RCC_PLLCFGR_PLLM(4u) | RCC_PLLCFGR_PLLN(180u) | RCC_PLLCFGR_PLLP_2 | RCC_PLLCFGR_PLLSRC_HSE |
                  RCC_PLLCFGR_PLLQ(8u) | RCC_PLLCFGR_PLLR(2u);
    RCC_CR |= RCC_CR_PLLON;

    PWR_CR |= PWR_CR_ODEN;
    while ((PWR_CSR & PWR_CSR_ODRDY) == 0) {
    }
    PWR_CR |= PWR_CR_ODSWEN;
    while ((PWR_CSR & PWR_CSR_ODSWRDY) == 0) {
    }

    FLASH_ACR = FLASH_ACR_LATENCY_5WS | FLASH_ACR_PRFTEN | FLASH_ACR_ICEN | FLASH_ACR_DCEN;
    while ((FLASH_ACR & FLASH_ACR_LATENCY_MASK) != FLASH_ACR_LATENCY_5WS) {
    }
    RCC_CFGR = RCC_CFGR_PPRE1_DIV4 | RCC_CFGR_PPRE2_DIV2; /* AHB undivided */

    while ((RCC_CR & RCC_CR_PLLRDY) == 0) {
    }
    RCC_CFGR = (RCC_CFGR & ~RCC_CFGR_SW_MASK) | RCC_CFGR_SW_PLL;
    while ((RCC_CFGR & RCC_CFGR_SWS_MASK) != RCC_CFGR_SWS_PLL) {
    }
}

#if defined(CHANNEL_UART)

#define UART_BASE USART3_BASE
#define UART_PCLK_HZ STM32F446_PCLK1_HZ /* BRR 391: 115,090 baud, 0.10 % low */
#include "stm32_uart.h"

/* USART3_TX is alternate function 7 of PD8 (DS10693, alternate functions), wired to the ST-LINK's virtual port
 * (UM1974, "USART communication"). */
static void channel_init(void) {
    RCC_AHB1ENR |= RCC_AHB1ENR_GPIODEN;
    (void)RCC_AHB1ENR;
    GPIOD_AFRH = (GPIOD_AFRH & ~(15u << 0)) | (7u << 0);
    GPIOD_MODER = (GPIOD_MODER & ~(3u << 16)) | (2u << 16);

    RCC_APB1ENR |= RCC_APB1ENR_USART3EN;
    (void)RCC_APB1ENR;
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
