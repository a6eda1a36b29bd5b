/* Nucleo-C031C6 at 12 MHz, a quarter of HSI48, as reset leaves it; no wait state is needed there. */
#include "kit.h"

#include "stm32c031.h"

#define UART_BASE USART2_BASE
#define UART_PCLK_HZ 12000000u /* BRR 104: 115,385 baud, 0.16 % high */
#include "stm32_uart_isr.h"

#define FLASH_ACR_ICRST (1u << 11)

const char kit_board[] = "chip=stm32c031c6 clock=12000000 serial=PA2@115200";

void kit_start(void) {
    RCC_IOPENR |= RCC_IOPENR_GPIOAEN;
    RCC_APBENR1 |= RCC_APBENR1_USART2EN | RCC_APBENR1_TIM3EN;
    (void)RCC_APBENR1; /* RM0490: two clock cycles between the enable bit and the first access */
    /* USART2_TX is alternate function 1 of PA2 (DS13867, alternate functions), wired to the Nucleo's ST-LINK. */
    GPIOA_AFRL = (GPIOA_AFRL & ~(15u << 8)) | (1u << 8);
    GPIOA_MODER = (GPIOA_MODER & ~(3u << 4)) | (2u << 4);
    uart_init();
    /* The counter: SysTick on the core's clock, down from its greatest value, without interrupts. */
    SYST_RVR = 0x00FFFFFFu;
    SYST_CVR = 0;
    SYST_CSR = SYST_CSR_CLKSOURCE_CPU | SYST_CSR_ENABLE;
}

void kit_put(char byte) { uart_write((const char[]){byte, '\0'}); }

void kit_memory(uint32_t flags) {
    uint32_t acr = KIT_WAIT(flags);
    uint32_t kept = FLASH_ACR & ~(FLASH_ACR_LATENCY_MASK | FLASH_ACR_PRFTEN | FLASH_ACR_ICEN);
    /* RM0490: the cache can be emptied only while it is off. */
    FLASH_ACR = kept | acr;
    FLASH_ACR = kept | acr | FLASH_ACR_ICRST;
    acr |= (flags & KIT_PREFETCH) != 0 ? FLASH_ACR_PRFTEN : 0;
    acr |= (flags & KIT_CACHE) != 0 ? FLASH_ACR_ICEN : 0;
    FLASH_ACR = kept | acr;
    while ((FLASH_ACR & FLASH_ACR_LATENCY_MASK) != KIT_WAIT(flags)) {
    }
}

_Noreturn void kit_end(void) {
    uart_drain();
    sleep_for_ever();
}
