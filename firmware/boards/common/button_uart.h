/* The serial task's UART, the older block with SR and DR: STM32F4 (RM0390 and RM0383, "USART registers"). A board's
 * header defines SERIAL_BASE; `board_init` has set the UART up before. */
#ifndef CYCLESCOPE_BUTTON_UART_H
#define CYCLESCOPE_BUTTON_UART_H

#include <stdbool.h>

#include "cortex_m.h"

#define SERIAL_SR REG32(SERIAL_BASE + 0x00u)
#define SERIAL_SR_TXE (1u << 7)
#define SERIAL_DATA REG32(SERIAL_BASE + 0x04u)
#define SERIAL_CR1 REG32(SERIAL_BASE + 0x0Cu)
#define SERIAL_CR1_TXEIE (1u << 7)
#define SERIAL_CR3 REG32(SERIAL_BASE + 0x14u)
#define SERIAL_CR3_DMAT (1u << 7)

/** True if the UART takes a byte. */
static inline bool serial_is_ready(void) { return (SERIAL_SR & SERIAL_SR_TXE) != 0; }
static inline void serial_put(char byte) { SERIAL_DATA = (uint8_t)byte; }
/** Has the UART interrupt whenever it takes a byte, or no longer. */
static inline void serial_ask(void) { SERIAL_CR1 |= SERIAL_CR1_TXEIE; }
static inline void serial_ask_no_more(void) {
    SERIAL_CR1 &= ~SERIAL_CR1_TXEIE;
    (void)SERIAL_CR1; /* waits until the slower bus has the store, or the handler could run once too often */
}

#endif
