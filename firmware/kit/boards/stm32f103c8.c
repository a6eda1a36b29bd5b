/* Blue Pill at 8 MHz, the internal oscillator, as reset leaves it; no wait state is needed there. */
#include "kit.h"

#include "cyccnt.h"
#include "stm32f103.h"

#define UART_BASE USART2_BASE
#define UART_PCLK_HZ 8000000u /* BRR 69: 115,942 baud, 0.64 % high */
#include "stm32_uart.h"

#define RCC_AHBENR REG32(0x40021014u)
#define RCC_AHBENR_CRCEN (1u << 6)
#define RCC_APB1ENR_TIM2EN (1u << 0)
#define RCC_APB2ENR_TIM1EN (1u << 11)

const char kit_board[] = "chip=stm32f103c8 clock=8000000 serial=PA2@115200";

void kit_start(void) {
    /* The port, and what sequences read and write. */
    RCC_AHBENR |= RCC_AHBENR_CRCEN;
    RCC_APB2ENR |= RCC_APB2ENR_IOPAEN | RCC_APB2ENR_TIM1EN;
    RCC_APB1ENR |= RCC_APB1ENR_USART2EN | RCC_APB1ENR_TIM2EN;
    (void)RCC_APB1ENR;
    /* USART2_TX is PA2 without a remap (RM0008, "USART alternate function remapping"). */
    GPIOA_CRL = (GPIOA_CRL & ~(0xFu << 8)) | (GPIO_CR_ALTERNATE_2MHZ << 8);
    uart_init();
    cyccnt_start();
}

void kit_put(char byte) { uart_write((const char[]){byte, '\0'}); }

/* PM0075: the prefetch buffer may be switched while the internal oscillator is the clock. There is no cache; both blocks
 * of the buffer are overwritten by what is read next. */
void kit_memory(uint32_t flags) {
    uint32_t acr = KIT_WAIT(flags) | ((flags & KIT_PREFETCH) != 0 ? FLASH_ACR_PRFTBE : 0);
    FLASH_ACR = acr;
    while ((FLASH_ACR & (FLASH_ACR_LATENCY_MASK | FLASH_ACR_PRFTBE)) != acr) {
    }
}

_Noreturn void kit_end(void) {
    uart_drain();
    sleep_for_ever();
}
