/* TIM3 counts quarter milliseconds: 170 MHz over 2 kHz is more than its 16-bit prescaler can divide by. The switch program's clock is SysTick, in microseconds. */
#ifndef CYCLESCOPE_BOARD_CLOCK_H
#define CYCLESCOPE_BOARD_CLOCK_H

#if defined(PROGRAM_SWITCH)

/** What feeds SysTick, Hz. */
#define BOARD_CORE_HZ 170000000u
#include "systick_micros.h"

#else

/** Ticks a second of the board's own clock. */
#define BOARD_CLOCK_HZ 4000u

#endif

#endif
