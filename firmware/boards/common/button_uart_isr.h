/* The serial task's UART, the newer block with ISR and TDR: STM32C0, G0 and L4 (RM0490, RM0444 and RM0351, "USART
 * registers"). A board's header defines SERIAL_BASE; `board_init` has set the UART up before. */
#ifndef CYCLESCOPE_BUTTON_UART_ISR_H
#define CYCLESCOPE_BUTTON_UART_ISR_H

#include <stdbool.h>

#include "cortex_m.h"

#define SERIAL_CR1 REG32(SERIAL_BASE + 0x00u)
#define SERIAL_CR1_TXEIE (1u << 7)
#define SERIAL_CR3 REG32(SERIAL_BASE + 0x08u)
#define SERIAL_CR3_DMAT (1u << 7)
#define SERIAL_ISR REG32(SERIAL_BASE + 0x1Cu)
#define SERIAL_ISR_TXE (1u << 7)
#define SERIAL_DATA REG32(SERIAL_BASE + 0x28u)

/** True if the UART takes a byte. */
static inline bool serial_is_ready(void) { return (SERIAL_ISR & SERIAL_ISR_TXE) != 0; }
static inline void serial_put(char byte) { SERIAL_DATA = (uint8_t)byte; }
/** Has the UART interrupt whenever it takes a byte, or no longer. */
static inline void serial_ask(void) { SERIAL_CR1 |= SERIAL_CR1_TXEIE; }
static inline void serial_ask_no_more(void) {
    SERIAL_CR1 &= ~SERIAL_CR1_TXEIE;
#if __ARM_ARCH >= 7
    (void)SERIAL_CR1; /* the M4 buffers the store: without a read the handler could run once too often */
#endif
}

#endif
