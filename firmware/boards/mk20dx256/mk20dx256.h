/* The registers of the MK20DX256 that the start-up code touches, named as K20P64M72SF1RM prints them. */
#ifndef CYCLESCOPE_MK20DX256_H
#define CYCLESCOPE_MK20DX256_H

#include "cortex_m.h"

#define REG8(address) (*(volatile uint8_t *)(address))
#define REG16(address) (*(volatile uint16_t *)(address))

/* SIM ("System Integration Module") */
#define SIM_SCGC4 REG32(0x40048034u)
#define SIM_SCGC4_UART0 (1u << 10)
#define SIM_SCGC5 REG32(0x40048038u)
#define SIM_SCGC5_PORTB (1u << 10)
#define SIM_CLKDIV1 REG32(0x40048044u)
#define SIM_CLKDIV1_OUTDIV1(divisor) (((divisor) - 1u) << 28) /* core */
#define SIM_CLKDIV1_OUTDIV2(divisor) (((divisor) - 1u) << 24) /* bus */
#define SIM_CLKDIV1_OUTDIV3(divisor) (((divisor) - 1u) << 20) /* FlexBus */
#define SIM_CLKDIV1_OUTDIV4(divisor) (((divisor) - 1u) << 16) /* flash */

/* PORTB ("Port control and interrupts") */
#define PORTB_PCR16 REG32(0x4004A040u)
#define PORTB_PCR17 REG32(0x4004A044u)
#define PORT_PCR_MUX(alternative) ((alternative) << 8)

/* WDOG ("Watchdog Timer") */
#define WDOG_STCTRLH REG16(0x40052000u)
#define WDOG_STCTRLH_AFTER_RESET 0x01D3u
#define WDOG_STCTRLH_WDOGEN (1u << 0)
#define WDOG_UNLOCK REG16(0x4005200Eu)

/* MCG ("Multipurpose Clock Generator") and OSC */
#define MCG_C1 REG8(0x40064000u)
#define MCG_C1_CLKS_PLL_OR_FLL (0u << 6)
#define MCG_C1_CLKS_EXTERNAL (2u << 6)
#define MCG_C1_FRDIV_512 (4u << 3)
#define MCG_C2 REG8(0x40064001u)
#define MCG_C2_RANGE0_VERY_HIGH (2u << 4) /* 8 to 32 MHz */
#define MCG_C2_EREFS0_OSCILLATOR (1u << 2)
#define MCG_C5 REG8(0x40064004u)
#define MCG_C5_PRDIV0(divisor) ((divisor) - 1u)
#define MCG_C6 REG8(0x40064005u)
#define MCG_C6_PLLS (1u << 6)
#define MCG_C6_VDIV0(factor) ((factor) - 24u)
#define MCG_S REG8(0x40064006u)
#define MCG_S_OSCINIT0 (1u << 1)
#define MCG_S_CLKST_MASK (3u << 2)
#define MCG_S_CLKST_EXTERNAL (2u << 2)
#define MCG_S_CLKST_PLL (3u << 2)
#define MCG_S_IREFST (1u << 4)
#define MCG_S_PLLST (1u << 5)
#define MCG_S_LOCK0 (1u << 6)
#define OSC_CR REG8(0x40065000u)
#define OSC_CR_SC8P (1u << 1)
#define OSC_CR_SC2P (1u << 3)

/* UART0 ("Universal Asynchronous Receiver/Transmitter"), fed by the core's clock */
#define UART0_BDH REG8(0x4006A000u)
#define UART0_BDL REG8(0x4006A001u)
#define UART0_C2 REG8(0x4006A003u)
#define UART_C2_TE (1u << 3)
#define UART0_S1 REG8(0x4006A004u)
#define UART_S1_TC (1u << 6)
#define UART_S1_TDRE (1u << 7)
#define UART0_D REG8(0x4006A007u)
#define UART0_C4 REG8(0x4006A00Au)

#endif
