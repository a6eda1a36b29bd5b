/* Black Pill: 100 MHz by the PLL from its 25 MHz crystal, the flash with prefetch and both caches, and one channel out. */
#include "board.h"

#include "stm32f411.h"

#if defined(CHANNEL_UART) + defined(CHANNEL_RTT) != 1
#error "define exactly one of CHANNEL_UART, CHANNEL_RTT"
#endif

extern uint32_t _sisr_vector[];

/* From the state that reset leaves: HSI as the system clock. RM0383, "Increasing the CPU frequency": the wait states
 * before the clock. */
static void clock_init(void) {
    RCC_CR |= RCC_CR_HSEON;
    while ((RCC_CR & RCC_CR_HSERDY) == 0) {
    }

    RCC_APB1ENR |= RCC_APB1ENR_PWREN;
    (void)RCC_APB1ENR;
    PWR_CR |= PWR_CR_VOS_SCALE1; /* may be written while the PLL is off */

    /* 25 MHz / 25 * 200 = 200 MHz, halved; Q is not used, / 5 keeps it below 48 MHz. */
    RCC_PLLCFGR = RCC_PLLCFGR_PLLM(25u) | RCC_PLLCFGR_PLLN(200u) | RCC_PLLCFGR_PLLP_2 | RCC_PLLCFGR_PLLSRC_HSE |
                  RCC_PLLCFGR_PLLQ(5u);
    RCC_CR |= RCC_CR_PLLON;

    FLASH_ACR = FLASH_ACR_LATENCY_3WS | FLASH_ACR_PRFTEN | FLASH_ACR_ICEN | FLASH_ACR_DCEN;
    while ((FLASH_ACR & FLASH_ACR_LATENCY_MASK) != FLASH_ACR_LATENCY_3WS) {
    }
    RCC_CFGR = RCC_CFGR_PPRE1_DIV2; /* AHB and APB2 undivided */

    while ((RCC_CR & RCC_CR_PLLRDY) == 0) {
    }
    RCC_CFGR = (RCC_CFGR & ~RCC_CFGR_SW_MASK) | RCC_CFGR_SW_PLL;
    while ((RCC_CFGR & RCC_CFGR_SWS_MASK) != RCC_CFGR_SWS_PLL) {
    }
}

#if defined(CHANNEL_UART)

#define UART_BASE USART2_BASE
#define UART_PCLK_HZ STM32F411_PCLK1_HZ /* BRR 434: 115,207 baud, 0.01 % high */
#include "stm32_uart.h"

/* USART2_TX is alternate function 7 of PA2 (DS10314, alternate functions); the board brings the pin out on its edge. */
static void channel_init(void) {
    RCC_AHB1ENR |= RCC_AHB1ENR_GPIOAEN;
    (void)RCC_AHB1ENR;
    GPIOA_AFRL = (GPIOA_AFRL & ~(15u << 8)) | (7u << 8);
    GPIOA_MODER = (GPIOA_MODER & ~(3u << 4)) | (2u << 4);

    RCC_APB1ENR |= RCC_APB1ENR_USART2EN;
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
