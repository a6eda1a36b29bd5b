/* The switch program's own clock, for the kernel too, which asks it at each switch where run-time statistics are on. */
#ifndef SWITCH_CLOCK_H
#define SWITCH_CLOCK_H

#include <stdint.h>

/** As board.h has it. Callable from the kernel's switch of tasks. */
uint32_t board_clock_ticks(void);

#endif
