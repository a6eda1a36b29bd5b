/* TIM3 counts half milliseconds: 80 MHz over 1 kHz is more than its 16-bit prescaler can divide by. The switch program's clock is SysTick, in microseconds. */
#ifndef CYCLESCOPE_BOARD_CLOCK_H
#define CYCLESCOPE_BOARD_CLOCK_H

#if defined(PROGRAM_SWITCH)

/** What feeds SysTick, Hz. */
#define BOARD_CORE_HZ 80000000u
#include "systick_micros.h"

#else

/** Ticks a second of the board's own clock. */
#define BOARD_CLOCK_HZ 2000u

#endif

#endif
