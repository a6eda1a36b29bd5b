/* Nucleo-C031C6 at 12 MHz, a quarter of HSI48, as reset leaves it; no wait state is needed there. */
#include "kit.h"

#include "stm32c031.h"

#define HCLK_HZ 12000000u
#define BAUD 115200u

#define FLASH_ACR_ICRST (1u << 11)

const char kit_board[] = "chip=stm32c031c6 clock=12000000 serial=PA2@115200";

void kit_start(void) {
    RCC_IOPENR |= RCC_IOPENR_GPIOAEN;
    RCC_APBENR1 |= RCC_APBENR1_USART2EN | RCC_APBENR1_TIM3EN;
    (void)RCC_APBENR1; /* RM0490: two clock cycles between the enable bit and the first access */
    /* USART2_TX is alternate function 1 of PA2 (DS13867, alternate functions), wired to the Nucleo's ST-LINK. */
    GPIOA_AFRL = (GPIOA_AFRL & ~(15u << 8)) | (1u << 8);
    GPIOA_MODER = (GPIOA_MODER & ~(3u << 4)) | (2u << 4);
    USART2_CR1 = 0; /* 8 bits, no parity, oversampling by 16 */
    USART2_CR2 = 0; /* one stop bit */
    USART2_CR3 = 0;
    USART2_BRR = (HCLK_HZ + BAUD / 2) / BAUD; /* 104: 115,385 baud, 0.16 % high */
    USART2_CR1 = USART_CR1_TE | USART_CR1_UE;
    while ((USART2_ISR & USART_ISR_TEACK) == 0) {
    }
    /* The counter: SysTick on the core's clock, down from its greatest value, without interrupts. */
    SYST_RVR = 0x00FFFFFFu;
    SYST_CVR = 0;
    SYST_CSR = SYST_CSR_CLKSOURCE_CPU | SYST_CSR_ENABLE;
}

void kit_put(char byte) {
    while ((USART2_ISR & USART_ISR_TXE) == 0) {
    }
    USART2_TDR = (uint8_t)byte;
}

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
    while ((USART2_ISR & USART_ISR_TC) == 0) {
    }
    sleep_for_ever();
}
