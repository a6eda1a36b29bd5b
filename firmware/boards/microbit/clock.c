/* SysTick as a millisecond clock by interrupt, since its 24 bits would wrap within a run. The board states no clock;
 * 16 MHz is that of QEMU's microbit, and only the elapsed figure hangs on it. */
#include "board.h"
#include "cortex_m.h"

#define MICROBIT_CPU_HZ 16000000u

static volatile uint32_t milliseconds;

void SysTick_Handler(void) { milliseconds += 1; }

void board_clock_start(void) {
    milliseconds = 0;
    SYST_RVR = MICROBIT_CPU_HZ / BOARD_CLOCK_HZ - 1;
    SYST_CVR = 0;
    SYST_CSR = SYST_CSR_ENABLE | SYST_CSR_TICKINT | SYST_CSR_CLKSOURCE_CPU;
}

uint32_t board_clock_ticks(void) { return milliseconds; }
