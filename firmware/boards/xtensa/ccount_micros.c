/* The own clock of switch programs without a kernel: CCOUNT, with CCOMPARE0's interrupt. */
#include "board.h"

static volatile uint32_t milliseconds;

void *xtensa_interrupt(void *frame) {
    if ((xtensa_pending() & ~INTERRUPT_CCOMPARE0) != 0) {
        xtensa_fault();
    }
    ccount_next_tick();
    milliseconds += 1;
    return frame;
}

static uint32_t ticks(void) { return milliseconds; }

void board_clock_start(void) {
    milliseconds = 0;
    ccount_start();
}

uint32_t board_clock_ticks(void) { return ccount_micros(ticks); }
