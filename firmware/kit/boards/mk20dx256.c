/* Teensy 3.2 at 20.97 MHz, the FLL on the internal reference, as reset leaves it. Core, bus and flash run at one clock, so that
 * flash has no wait states; a slower flash clock makes some. */
#include "kit.h"

#include "cyccnt.h"
#include "mk20dx256.h"

#define CORE_HZ 20971520u
#define BAUD 115200u
/** What UART0 divides by, in 32nds of 16 core cycles: SBR in the upper bits, BRFA in the lowest five. */
#define UART_DIVISOR ((CORE_HZ * 2u + BAUD / 2u) / BAUD)

#define FMC_PFB0CR REG32(0x4001F004u)
#define FMC_PFB0CR_B0SEBE (1u << 0)
#define FMC_PFB0CR_B0IPE (1u << 1)
#define FMC_PFB0CR_B0DPE (1u << 2)
#define FMC_PFB0CR_B0ICE (1u << 3)
#define FMC_PFB0CR_B0DCE (1u << 4)
#define FMC_PFB0CR_S_B_INV (1u << 19)
#define FMC_PFB0CR_CINV_WAY_ALL (15u << 20)

#define SIM_SCGC6 REG32(0x4004803Cu)
#define SIM_SCGC6_PIT (1u << 23)

const char kit_board[] = "chip=mk20dx256 clock=20971520 serial=PTB17@115200";

/* UART0_RX and UART0_TX are alternative 3 of PTB16 and PTB17, the board's pins 0 and 1. */
void kit_start(void) {
    SIM_SCGC6 |= SIM_SCGC6_PIT;
    SIM_SCGC5 |= SIM_SCGC5_PORTB;
    SIM_SCGC4 |= SIM_SCGC4_UART0;
    PORTB_PCR16 = PORT_PCR_MUX(3u);
    PORTB_PCR17 = PORT_PCR_MUX(3u);
    UART0_BDH = (uint8_t)(UART_DIVISOR >> 13); /* taken over with BDL */
    UART0_BDL = (uint8_t)(UART_DIVISOR >> 5);
    UART0_C4 = UART_DIVISOR & 31u;
    UART0_C2 = UART_C2_TE;
    cyccnt_start();
    kit_memory(0);
}

void kit_put(char byte) {
    while ((UART0_S1 & UART_S1_TDRE) == 0) {
    }
    UART0_D = (uint8_t)byte;
}

/* Core, bus and FlexBus undivided; a flash clock of the core's by n makes n - 1 wait states. The single-entry
 * buffer and reading data ahead stay on, as reset leaves them. */
void kit_memory(uint32_t flags) {
    uint32_t control = FMC_PFB0CR_B0SEBE | FMC_PFB0CR_B0DPE | FMC_PFB0CR_S_B_INV | FMC_PFB0CR_CINV_WAY_ALL;
    control |= (flags & KIT_PREFETCH) != 0 ? FMC_PFB0CR_B0IPE : 0;
    control |= (flags & KIT_CACHE) != 0 ? FMC_PFB0CR_B0ICE : 0;
    control |= (flags & KIT_DATA_CACHE) != 0 ? FMC_PFB0CR_B0DCE : 0;
    SIM_CLKDIV1 = SIM_CLKDIV1_OUTDIV1(1u) | SIM_CLKDIV1_OUTDIV2(1u) | SIM_CLKDIV1_OUTDIV3(1u) |
                  SIM_CLKDIV1_OUTDIV4(KIT_WAIT(flags) + 1u);
    FMC_PFB0CR = control;
}

_Noreturn void kit_end(void) {
    while ((UART0_S1 & UART_S1_TC) == 0) {
    }
    sleep_for_ever();
}
