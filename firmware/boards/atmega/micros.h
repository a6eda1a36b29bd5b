/* Microseconds since the clock was started, as Arduino's `micros()` gives them: Timer 0 counts a 64th of 16 MHz, and an
 * interrupt at each overflow, every 1,024 µs, carries. They wrap after 71 minutes. */
#ifndef CYCLESCOPE_ATMEGA_MICROS_H
#define CYCLESCOPE_ATMEGA_MICROS_H

/** Ticks a second of the board's own clock. */
#define BOARD_CLOCK_HZ 1000000u
/** The ticks that it moves at once. */
#define BOARD_CLOCK_RESOLUTION 4u

#endif
