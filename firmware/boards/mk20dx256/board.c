/* Teensy 3.2: 96 MHz from its crystal of 16 MHz, as that board's own software runs a part that is rated for 72 MHz; the
 * flash's cache and prefetch as reset leaves them, on; UART0 out. */
#include "board.h"

#include "mk20dx256.h"

#if !defined(CHANNEL_UART)
#error "define CHANNEL_UART: there is no other channel"
#endif

#define UART_BAUD 115200u
/** What UART0 divides by, in 32nds of 16 core cycles: SBR in the upper bits, BRFA in the lowest five. 52 3/32. */
#define UART_DIVISOR ((BOARD_CORE_HZ * 2u + UART_BAUD / 2u) / UART_BAUD)

extern uint32_t _sisr_vector[];

/* FEI, where reset leaves it, by FBE and PBE to PEE ("MCG mode switching"). */
static void clock_init(void) {
    OSC_CR = OSC_CR_SC8P | OSC_CR_SC2P; /* the crystal's load, 10 pF */
    MCG_C2 = MCG_C2_RANGE0_VERY_HIGH | MCG_C2_EREFS0_OSCILLATOR;
    MCG_C1 = MCG_C1_CLKS_EXTERNAL | MCG_C1_FRDIV_512; /* 31.25 kHz, as the FLL wants it although it is not used */
    while ((MCG_S & MCG_S_OSCINIT0) == 0) {
    }
    while ((MCG_S & MCG_S_IREFST) != 0) {
    }
    while ((MCG_S & MCG_S_CLKST_MASK) != MCG_S_CLKST_EXTERNAL) {
    }

    MCG_C5 = MCG_C5_PRDIV0(4u); /* 4 MHz, the most that the PLL takes */
    MCG_C6 = MCG_C6_PLLS | MCG_C6_VDIV0(24u);
    while ((MCG_S & MCG_S_PLLST) == 0) {
    }
    while ((MCG_S & MCG_S_LOCK0) == 0) {
    }

    /* 96, 48, 48 and 24 MHz, set while the crystal is still the clock. */
    SIM_CLKDIV1 = SIM_CLKDIV1_OUTDIV1(1u) | SIM_CLKDIV1_OUTDIV2(2u) | SIM_CLKDIV1_OUTDIV3(2u) | SIM_CLKDIV1_OUTDIV4(4u);
    MCG_C1 = MCG_C1_CLKS_PLL_OR_FLL | MCG_C1_FRDIV_512;
    while ((MCG_S & MCG_S_CLKST_MASK) != MCG_S_CLKST_PLL) {
    }
}

/* UART0_RX and UART0_TX are alternative 3 of PTB16 and PTB17, the board's pins 0 and 1. */
static void channel_init(void) {
    SIM_SCGC5 |= SIM_SCGC5_PORTB;
    SIM_SCGC4 |= SIM_SCGC4_UART0;
    PORTB_PCR16 = PORT_PCR_MUX(3u);
    PORTB_PCR17 = PORT_PCR_MUX(3u);
    UART0_BDH = (uint8_t)(UART_DIVISOR >> 13); /* taken over with BDL */
    UART0_BDL = (uint8_t)(UART_DIVISOR >> 5);
    UART0_C4 = UART_DIVISOR & 31u;
    UART0_C2 = UART_C2_TE;
}

void board_write(const char *text) {
    for (; *text != '\0'; text += 1) {
        while ((UART0_S1 & UART_S1_TDRE) == 0) {
        }
        UART0_D = (uint8_t)*text;
    }
}

void board_init(void) {
    SCB_VTOR = (uint32_t)_sisr_vector;
    clock_init();
    channel_init();
}

_Noreturn void board_exit(void) {
    while ((UART0_S1 & UART_S1_TC) == 0) {
    }
    sleep_for_ever();
}
