/* Transmitting by polling over the older USART block, the one with SR and DR that the STM32F1 and F4 have (RM0008 and
 * RM0390, "USART registers"). A board's header defines UART_BASE and UART_PCLK_HZ; clocks and pins are the board's. */
#ifndef CYCLESCOPE_STM32_UART_H
#define CYCLESCOPE_STM32_UART_H

#include "cortex_m.h"

#define UART_BAUD 115200u

#define UART_SR REG32(UART_BASE + 0x00u)
#define UART_SR_TC (1u << 6)
#define UART_SR_TXE (1u << 7)
#define UART_DR REG32(UART_BASE + 0x04u)
#define UART_BRR REG32(UART_BASE + 0x08u)
#define UART_CR1 REG32(UART_BASE + 0x0Cu)
#define UART_CR1_TE (1u << 3)
#define UART_CR1_UE (1u << 13)
#define UART_CR2 REG32(UART_BASE + 0x10u)
#define UART_CR3 REG32(UART_BASE + 0x14u)

static inline void uart_init(void) {
    UART_CR1 = UART_CR1_UE; /* 8 bits, no parity, oversampling by 16 */
    UART_CR2 = 0;           /* one stop bit */
    UART_CR3 = 0;
    UART_BRR = (UART_PCLK_HZ + UART_BAUD / 2) / UART_BAUD; /* sixteenths of the divider: PCLK over the baud rate */
    UART_CR1 = UART_CR1_UE | UART_CR1_TE;
}

static inline void uart_write(const char *text) {
    for (; *text != '\0'; text += 1) {
        while ((UART_SR & UART_SR_TXE) == 0) {
        }
        UART_DR = (uint8_t)*text;
    }
}

static inline void uart_drain(void) {
    while ((UART_SR & UART_SR_TC) == 0) {
    }
}

#endif
