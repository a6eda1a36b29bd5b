/* TIM3 counts half milliseconds: 72 MHz over 1 kHz is more than its 16-bit prescaler can divide by. */
#ifndef CYCLESCOPE_BOARD_CLOCK_H
#define CYCLESCOPE_BOARD_CLOCK_H

/** Ticks a second of the board's own clock. */
#define BOARD_CLOCK_HZ 2000u

#endif
