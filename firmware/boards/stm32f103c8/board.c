/* Blue Pill (STM32F103C8 with a crystal of 8 MHz): 72 MHz by the PLL, the flash as PM0075 wants it for that, and one
 * channel out. */
#include "board.h"

#include "stm32f103.h"

#if defined(CHANNEL_UART) + defined(CHANNEL_RTT) != 1
#error "define exactly one of CHANNEL_UART, CHANNEL_RTT"
#endif

extern uint32_t _sisr_vector[];

/* From the state that reset leaves: HSI as the system clock, which is also the only time when the prefetch buffer may
 * be switched (RM0008, "Reading the flash memory"). */
static void clock_init(void) {
    FLASH_ACR = (FLASH_ACR & ~FLASH_ACR_LATENCY_MASK) | FLASH_ACR_LATENCY_2WS | FLASH_ACR_PRFTBE;
    while ((FLASH_ACR & FLASH_ACR_PRFTBS) == 0) {
    }

    RCC_CR |= RCC_CR_HSEON;
    while ((RCC_CR & RCC_CR_HSERDY) == 0) {
    }
    RCC_CFGR = RCC_CFGR_PPRE1_DIV2 | RCC_CFGR_PLLSRC_HSE | RCC_CFGR_PLLMUL_9; /* AHB and APB2 undivided */
    RCC_CR |= RCC_CR_PLLON;
    while ((RCC_CR & RCC_CR_PLLRDY) == 0) {
    }
    RCC_CFGR = (RCC_CFGR & ~RCC_CFGR_SW_MASK) | RCC_CFGR_SW_PLL;
    while ((RCC_CFGR & RCC_CFGR_SWS_MASK) != RCC_CFGR_SWS_PLL) {
    }
}

#if defined(CHANNEL_UART)

#define UART_BASE USART2_BASE
#define UART_PCLK_HZ STM32F103_PCLK1_HZ /* BRR 313: 115,016 baud, 0.16 % low */
#include "stm32_uart.h"

/* USART2_TX is PA2 without a remap (RM0008, "USART alternate function remapping"). */
static void channel_init(void) {
    RCC_APB2ENR |= RCC_APB2ENR_IOPAEN;
    RCC_APB1ENR |= RCC_APB1ENR_USART2EN;
    (void)RCC_APB1ENR;
    GPIOA_CRL = (GPIOA_CRL & ~(0xFu << 8)) | (GPIO_CR_ALTERNATE_2MHZ << 8);
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
