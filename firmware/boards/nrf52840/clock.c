#include "board.h"
#include "nrf52840.h"

#define PRESCALER 9u /* 16 MHz over 2^9 */

void board_clock_start(void) {
    TIMER0_BITMODE = TIMER_BITMODE_32;
    TIMER0_PRESCALER = PRESCALER;
    TIMER0_TASKS_CLEAR = 1;
    TIMER0_TASKS_START = 1;
}

/* The counter has no register: a task copies it to one. */
uint32_t board_clock_ticks(void) {
    TIMER0_TASKS_CAPTURE0 = 1;
    return TIMER0_CC0;
}
