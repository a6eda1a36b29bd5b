/* SysTick as a millisecond clock by interrupt, since its 24 bits would wrap within a run: the own clock of boards that
 * state no clock of theirs. A board's clock.c defines SYSTICK_HZ, the rate its machine feeds SysTick with, and includes
 * this once; only the elapsed figure hangs on it. */
#ifndef CYCLESCOPE_SYSTICK_CLOCK_H
#define CYCLESCOPE_SYSTICK_CLOCK_H

#include "board.h"
#include "cortex_m.h"

static volatile uint32_t milliseconds;

void SysTick_Handler(void);
void SysTick_Handler(void) { milliseconds += 1; }

void board_clock_start(void) {
    milliseconds = 0;
    SYST_RVR = SYSTICK_HZ / BOARD_CLOCK_HZ - 1;
    SYST_CVR = 0;
    SYST_CSR = SYST_CSR_ENABLE | SYST_CSR_TICKINT | SYST_CSR_CLKSOURCE_CPU;
}

uint32_t board_clock_ticks(void) { return milliseconds; }

#endif
