/* The registers of the ESP8266 that the start-up code touches. Espressif documents the serial port (ESP8266 Technical Reference,
 * "UART"); clock and watchdog have names in its libraries' headers and the SVD file of others alone. */
#ifndef CYCLESCOPE_ESP8266_H
#define CYCLESCOPE_ESP8266_H

#include "xtensa.h"

/* DPORT */
#define DPORT_CTL REG32(0x3FF00014u)
#define DPORT_CTL_DOUBLE_CLK (1u << 0) /* 160 MHz, twice the PLL's */

/* UART0 */
#define UART0_FIFO REG32(0x60000000u)
#define UART0_CLKDIV REG32(0x60000014u)
#define UART0_STATUS REG32(0x6000001Cu)
#define UART_STATUS_TXFIFO_CNT(status) ((status) >> 16 & 255u)
#define UART0_CONF0 REG32(0x60000020u)
#define UART_CONF0_8_BITS (3u << 2)
#define UART_CONF0_1_STOP (1u << 4)
/** Bytes that the transmitter's FIFO holds. */
#define UART_FIFO_BYTES 128u

/* IO_MUX: pin U0TXD, GPIO1, with function 0 in bits 4, 5 and 8 */
#define IO_MUX_U0TXD REG32(0x60000818u)
#define IO_MUX_FUNCTION_MASK (0x13u << 4)

/* WDT */
#define WDT_CTL REG32(0x60000900u)
#define WDT_CTL_ENABLE (1u << 0)

/* The register by which the PLL is set over an internal bus (SVD: RTCCNTL.PLL) */
#define RTCCNTL_PLL REG32(0x60000D10u)
#define PLL_BLOCK 103u
#define PLL_WRITE(address, data) (PLL_BLOCK | (address) << 8 | (data) << 16 | 1u << 24)
#define PLL_BUSY (1u << 25)

#endif
