/* Transmitting by polling over the newer USART block, the one with ISR and TDR that the STM32C0, G0, G4 and L4 have
 * (RM0490, RM0444, RM0440 and RM0351, "USART registers"). A board's header defines UART_BASE and UART_PCLK_HZ; clocks and
 * pins are the board's. */
#ifndef CYCLESCOPE_STM32_UART_ISR_H
#define CYCLESCOPE_STM32_UART_ISR_H

#include "cortex_m.h"

#define UART_BAUD 115200u

#define UART_CR1 REG32(UART_BASE + 0x00u)
#define UART_CR1_UE (1u << 0)
#define UART_CR1_TE (1u << 3)
#define UART_CR2 REG32(UART_BASE + 0x04u)
#define UART_CR3 REG32(UART_BASE + 0x08u)
#define UART_BRR REG32(UART_BASE + 0x0Cu)
#define UART_ISR REG32(UART_BASE + 0x1Cu)
#define UART_ISR_TC (1u << 6)
#define UART_ISR_TXE (1u << 7)
#define UART_ISR_TEACK (1u << 21)
#define UART_TDR REG32(UART_BASE + 0x28u)

static inline void uart_init(void) {
    UART_CR1 = 0; /* 8 bits, no parity, oversampling by 16 */
    UART_CR2 = 0; /* one stop bit */
    UART_CR3 = 0;
    UART_BRR = (UART_PCLK_HZ + UART_BAUD / 2) / UART_BAUD;
    UART_CR1 = UART_CR1_TE | UART_CR1_UE;
    while ((UART_ISR & UART_ISR_TEACK) == 0) {
    }
}

static inline void uart_write(const char *text) {
    for (; *text != '\0'; text += 1) {
        while ((UART_ISR & UART_ISR_TXE) == 0) {
        }
        UART_TDR = (uint8_t)*text;
    }
}

static inline void uart_drain(void) {
    while ((UART_ISR & UART_ISR_TC) == 0) {
    }
}

#endif
