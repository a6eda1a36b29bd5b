/* The registers of the nRF52840 that the start-up code touches, named as its product specification (4413_417) prints them. */
#ifndef CYCLESCOPE_NRF52840_H
#define CYCLESCOPE_NRF52840_H

#include "cortex_m.h"

/* CLOCK ("CLOCK — Clock control") */
#define CLOCK_TASKS_HFCLKSTART REG32(0x40000000u)
#define CLOCK_EVENTS_HFCLKSTARTED REG32(0x40000100u)

/* NVMC ("NVMC — Non-volatile memory controller") */
#define NVMC_ICACHECNF REG32(0x4001E540u)
#define NVMC_ICACHECNF_CACHEEN (1u << 0)

/* TIMER0 ("TIMER — Timer/counter"), fed by 16 MHz */
#define TIMER0_TASKS_START REG32(0x40008000u)
#define TIMER0_TASKS_CLEAR REG32(0x4000800Cu)
#define TIMER0_TASKS_CAPTURE0 REG32(0x40008040u)
#define TIMER0_EVENTS_COMPARE0 REG32(0x40008140u)
#define TIMER0_SHORTS REG32(0x40008200u)
#define TIMER_SHORTS_COMPARE0_CLEAR (1u << 0)
#define TIMER0_INTENSET REG32(0x40008304u)
#define TIMER_INTEN_COMPARE0 (1u << 16)
#define TIMER0_BITMODE REG32(0x40008508u)
#define TIMER_BITMODE_32 3u
#define TIMER0_PRESCALER REG32(0x40008510u) /* 16 MHz over 2 to this power */
#define TIMER0_CC0 REG32(0x40008540u)

/* UART0 ("UART — Universal asynchronous receiver/transmitter"), and UARTE0 of the same address, the one with EasyDMA */
#define UART0_TASKS_STARTTX REG32(0x40002008u)
#define UART0_EVENTS_TXDRDY REG32(0x4000211Cu)
#define UARTE0_EVENTS_ENDTX REG32(0x40002120u)
#define UART0_INTENSET REG32(0x40002304u)
#define UART0_INTENCLR REG32(0x40002308u)
#define UART_INTEN_TXDRDY (1u << 7)
#define UARTE_INTEN_ENDTX (1u << 8)
#define UART0_ENABLE REG32(0x40002500u)
#define UART_ENABLE_DISABLED 0u
#define UART_ENABLE_UART 4u
#define UART_ENABLE_UARTE 8u
#define UART0_PSEL_TXD REG32(0x4000250Cu)
#define UART0_TXD REG32(0x4000251Cu)
#define UART0_BAUDRATE REG32(0x40002524u)
#define UART_BAUDRATE_115200 0x01D7E000u
#define UARTE_BAUDRATE_115200 0x01D60000u
#define UARTE0_TXD_PTR REG32(0x40002544u)
#define UARTE0_TXD_MAXCNT REG32(0x40002548u)

/* P0 and P1 ("GPIO — General purpose input/output") */
#define P0 0x50000000u
#define P1 0x50000300u
#define GPIO_OUTSET(port) REG32((port) + 0x508u)
#define GPIO_OUTCLR(port) REG32((port) + 0x50Cu)
#define GPIO_IN(port) REG32((port) + 0x510u)
#define GPIO_DIRSET(port) REG32((port) + 0x518u)
#define GPIO_PIN_CNF(port, pin) REG32((port) + 0x700u + 4u * (pin))
#define GPIO_PIN_CNF_INPUT_PULLED_UP (3u << 2)

/** The core's clock, Hz, whatever its source. */
#define NRF52840_CORE_HZ 64000000u

#endif
