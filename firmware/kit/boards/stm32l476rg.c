/* Nucleo-L476RG at 4 MHz, the internal oscillator MSI, as reset leaves it; no wait state is needed there. */
#include "kit.h"

#include "cyccnt.h"
#include "stm32l476.h"

#define UART_BASE USART2_BASE
#define UART_PCLK_HZ 4000000u /* BRR 35: 114,286 baud, 0.8 % low */
#include "stm32_uart_isr.h"

#define RCC_AHB1ENR REG32(0x40021048u)
#define RCC_AHB1ENR_CRCEN (1u << 12)
#define RCC_APB1ENR1_TIM2EN (1u << 0)
#define RCC_APB2ENR REG32(0x40021060u)
#define RCC_APB2ENR_TIM1EN (1u << 11)
#define FLASH_ACR_ICRST (1u << 11)
#define FLASH_ACR_DCRST (1u << 12)

const char kit_board[] = "chip=stm32l476rg clock=4000000 serial=PA2@115200";

void kit_start(void) {
    /* The port, and what sequences read and write. */
    RCC_AHB1ENR |= RCC_AHB1ENR_CRCEN;
    RCC_AHB2ENR |= RCC_AHB2ENR_GPIOAEN;
    RCC_APB1ENR1 |= RCC_APB1ENR1_TIM2EN | RCC_APB1ENR1_USART2EN;
    RCC_APB2ENR |= RCC_APB2ENR_TIM1EN;
    (void)RCC_APB2ENR;
    /* USART2_TX is alternate function 7 of PA2 (DS10198), wired to the ST-LINK's virtual port (UM1724). */
    GPIOA_AFRL = (GPIOA_AFRL & ~(15u << 8)) | (7u << 8);
    GPIOA_MODER = (GPIOA_MODER & ~(3u << 4)) | (2u << 4);
    uart_init();
    cyccnt_start();
}

void kit_put(char byte) { uart_write((const char[]){byte, '\0'}); }

void kit_memory(uint32_t flags) {
    uint32_t acr = KIT_WAIT(flags);
    uint32_t kept = FLASH_ACR &
                    ~(FLASH_ACR_LATENCY_MASK | FLASH_ACR_PRFTEN | FLASH_ACR_ICEN | FLASH_ACR_DCEN);
    /* RM0351: the caches can be emptied only while they are off. */
    FLASH_ACR = kept | acr;
    FLASH_ACR = kept | acr | FLASH_ACR_ICRST | FLASH_ACR_DCRST;
    acr |= (flags & KIT_PREFETCH) != 0 ? FLASH_ACR_PRFTEN : 0;
    acr |= (flags & KIT_CACHE) != 0 ? FLASH_ACR_ICEN : 0;
    acr |= (flags & KIT_DATA_CACHE) != 0 ? FLASH_ACR_DCEN : 0;
    FLASH_ACR = kept | acr;
    while (FLASH_ACR != (kept | acr)) {
    }
}

_Noreturn void kit_end(void) {
    uart_drain();
    sleep_for_ever();
}
