#include "board.h"
#include "rp2040.h"

/* The counter takes both halves at once, when the upper one is written. */
void board_clock_start(void) {
    TIMER_TIMELW = 0;
    TIMER_TIMEHW = 0;
}

/* The lower half alone, which latches nothing ("Timer", TIMERAWL). */
uint32_t board_clock_ticks(void) { return TIMER_TIMERAWL >> BOARD_CLOCK_SHIFT; }
