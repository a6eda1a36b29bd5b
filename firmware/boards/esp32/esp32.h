/* The registers of the ESP32 that the start-up code touches, named as the ESP32 Technical Reference Manual prints them. The PLL's own
 * registers lie on an internal bus that the manual leaves out; the boot ROM reaches them by one register. */
#ifndef CYCLESCOPE_ESP32_H
#define CYCLESCOPE_ESP32_H

#include "xtensa.h"

/* DPORT ("Reset and Clock") */
#define DPORT_CPU_PER_CONF_REG REG32(0x3FF0003Cu)
#define DPORT_CPU_CPUPERIOD_SEL_240 2u

/* UART0 ("UART") */
#define UART_FIFO_REG REG32(0x3FF40000u)
#define UART_CLKDIV_REG REG32(0x3FF40014u)
#define UART_CLKDIV(sixteenths) ((sixteenths) >> 4 | ((sixteenths) & 15u) << 20)
#define UART_STATUS_REG REG32(0x3FF4001Cu)
#define UART_STATUS_TXFIFO_CNT(status) ((status) >> 16 & 255u)
#define UART_STATUS_ST_UTX_OUT(status) ((status) >> 24 & 15u)
#define UART_CONF0_REG REG32(0x3FF40020u)
#define UART_CONF0_8_BITS (3u << 2)
#define UART_CONF0_1_STOP (1u << 4)
#define UART_CONF0_TICK_REF_ALWAYS_ON (1u << 27) /* clocked by the APB */
/** Bytes that the transmitter's FIFO holds. */
#define UART_FIFO_BYTES 128u

/* RTC_CNTL ("Low-Power Management", "Watchdog Timers") */
#define RTC_CNTL_OPTIONS0_REG REG32(0x3FF48000u)
#define RTC_CNTL_BB_I2C_FORCE_PD (1u << 6)
#define RTC_CNTL_BBPLL_I2C_FORCE_PD (1u << 8)
#define RTC_CNTL_BBPLL_FORCE_PD (1u << 10)
#define RTC_CNTL_CLK_CONF_REG REG32(0x3FF48070u)
#define RTC_CNTL_SOC_CLK_SEL_MASK (3u << 27)
#define RTC_CNTL_SOC_CLK_SEL_PLL (1u << 27)
#define RTC_CNTL_REG REG32(0x3FF4807Cu)
#define RTC_CNTL_DIG_DBIAS_WAK_MASK (7u << 11)
#define RTC_CNTL_DIG_DBIAS_WAK_1V25 (7u << 11)
#define RTC_CNTL_WDTCONFIG0_REG REG32(0x3FF4808Cu)
#define RTC_CNTL_WDTWPROTECT_REG REG32(0x3FF480A4u)

/* TIMG0 ("Watchdog Timers") */
#define TIMG0_WDTCONFIG0_REG REG32(0x3FF5F048u)
#define TIMG0_WDTWPROTECT_REG REG32(0x3FF5F064u)

/** The key that opens a watchdog's registers, for both. */
#define WDT_KEY 0x50D83AA1u

/* The PLL's internal bus */
#define BBPLL_BUS REG32(0x6000E010u)
#define BBPLL_BLOCK 0x66u
#define BBPLL_WRITE(address, data) (BBPLL_BLOCK | (address) << 8 | (data) << 16 | 1u << 24)
#define BBPLL_BUSY (1u << 25)

#endif
