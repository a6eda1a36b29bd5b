/* TIMER0 at 31,250 Hz, 16 MHz over the largest of its prescalers. The switch program's clock is SysTick, in microseconds. */
#ifndef CYCLESCOPE_BOARD_CLOCK_H
#define CYCLESCOPE_BOARD_CLOCK_H

#if defined(PROGRAM_SWITCH)

/** What feeds SysTick, Hz. */
#define BOARD_CORE_HZ 64000000u
#include "systick_micros.h"

#else

/** Ticks a second of the board's own clock, which has 32 bits. */
#define BOARD_CLOCK_HZ 31250u

#endif

#endif
