/* The registers of the RP2040 that the start-up code touches, named as its data sheet (RP-008371-DS) prints them. */
#ifndef CYCLESCOPE_RP2040_H
#define CYCLESCOPE_RP2040_H

#include "cortex_m.h"

/* Each register on the APB and AHB has aliases that set and clear bits ("Atomic Register Access"). */
#define SET_BITS(address) REG32((address) + 0x2000u)
#define CLEAR_BITS(address) REG32((address) + 0x3000u)

/* RESETS ("Resets") */
#define RESETS_RESET 0x4000C000u
#define RESETS_RESET_DONE REG32(0x4000C008u)
#define RESET_DMA (1u << 2)
#define RESET_IO_BANK0 (1u << 5)
#define RESET_PADS_BANK0 (1u << 8)
#define RESET_PLL_SYS (1u << 12)
#define RESET_TIMER (1u << 21)
#define RESET_UART0 (1u << 22)

/* CLOCKS ("Clocks") */
#define CLK_REF_CTRL REG32(0x40008030u)
#define CLK_REF_CTRL_XOSC 2u
#define CLK_REF_SELECTED REG32(0x40008038u)
#define CLK_SYS_CTRL REG32(0x4000803Cu)
#define CLK_SYS_CTRL_REF 0u
#define CLK_SYS_CTRL_AUX 1u /* PLL_SYS, which is 0 in AUXSRC */
#define CLK_SYS_SELECTED REG32(0x40008044u)
#define CLK_PERI_CTRL REG32(0x40008048u)
#define CLK_PERI_CTRL_ENABLE (1u << 11) /* by clk_sys, which is 0 in AUXSRC */

/* XOSC ("Crystal Oscillator") */
#define XOSC_CTRL REG32(0x40024000u)
#define XOSC_CTRL_1_15MHZ 0xAA0u
#define XOSC_CTRL_ENABLE (0xFABu << 12)
#define XOSC_STATUS REG32(0x40024004u)
#define XOSC_STATUS_STABLE (1u << 31)
#define XOSC_STARTUP REG32(0x4002400Cu) /* in 256 periods of the crystal */

/* PLL_SYS ("PLL") */
#define PLL_CS REG32(0x40028000u)
#define PLL_CS_LOCK (1u << 31)
#define PLL_PWR 0x40028004u
#define PLL_PWR_PD (1u << 0)
#define PLL_PWR_POSTDIVPD (1u << 3)
#define PLL_PWR_VCOPD (1u << 5)
#define PLL_FBDIV_INT REG32(0x40028008u)
#define PLL_PRIM REG32(0x4002800Cu)
#define PLL_PRIM_POSTDIV(first, second) ((first) << 16 | (second) << 12)

/* WATCHDOG ("Watchdog"), whose tick the timer counts */
#define WATCHDOG_TICK REG32(0x4005802Cu)
#define WATCHDOG_TICK_ENABLE (1u << 9)

/* TIMER ("Timer") */
#define TIMER_TIMEHW REG32(0x40054000u)
#define TIMER_TIMELW REG32(0x40054004u)
#define TIMER_TIMERAWL REG32(0x40054028u)

/* Pins ("GPIO", "Pads", "SIO") */
#define IO_BANK0_CTRL(pin) REG32(0x40014004u + 8u * (pin))
#define FUNCTION_UART 2u
#define FUNCTION_SIO 5u
#define PADS_BANK0(pin) REG32(0x4001C004u + 4u * (pin))
#define PAD_SCHMITT (1u << 1)
#define PAD_PULL_UP (1u << 3)
#define PAD_4MA (1u << 4)
#define PAD_INPUT (1u << 6)
#define SIO_GPIO_IN REG32(0xD0000004u)
#define SIO_GPIO_OUT_SET REG32(0xD0000014u)
#define SIO_GPIO_OUT_CLR REG32(0xD0000018u)
#define SIO_GPIO_OE_SET REG32(0xD0000024u)

/* UART0 ("UART", a PL011) */
#define UART0_DR REG32(0x40034000u)
#define UART0_FR REG32(0x40034018u)
#define UART_FR_BUSY (1u << 3)
#define UART_FR_TXFF (1u << 5)
#define UART_FR_TXFE (1u << 7)
#define UART0_IBRD REG32(0x40034024u)
#define UART0_FBRD REG32(0x40034028u)
#define UART0_LCR_H REG32(0x4003402Cu)
#define UART_LCR_H_FEN (1u << 4)
#define UART_LCR_H_8_BITS (3u << 5)
#define UART0_CR REG32(0x40034030u)
#define UART_CR_UARTEN (1u << 0)
#define UART_CR_TXE (1u << 8)
#define UART0_IMSC REG32(0x40034038u)
#define UART_IMSC_TXIM (1u << 5)
#define UART0_DMACR REG32(0x40034048u)
#define UART_DMACR_TXDMAE (1u << 1)

/** The core's clock and the serial port's, Hz. */
#define RP2040_CLK_SYS_HZ 125000000u
#define RP2040_CLK_PERI_HZ RP2040_CLK_SYS_HZ

/** Takes blocks out of reset, and waits until they are. */
static inline void unreset(uint32_t blocks) {
    CLEAR_BITS(RESETS_RESET) = blocks;
    while ((RESETS_RESET_DONE & blocks) != blocks) {
    }
}

#endif
