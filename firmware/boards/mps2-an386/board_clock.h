/* SysTick counts milliseconds. */
#ifndef CYCLESCOPE_BOARD_CLOCK_H
#define CYCLESCOPE_BOARD_CLOCK_H

/** Ticks a second of the board's own clock. */
#define BOARD_CLOCK_HZ 1000u

#endif
