/* The timer counts microseconds, which wrap after 71 minutes. The switch program's clock is that; others count by 32 of them. */
#ifndef CYCLESCOPE_BOARD_CLOCK_H
#define CYCLESCOPE_BOARD_CLOCK_H

#if defined(PROGRAM_SWITCH)
#define BOARD_CLOCK_SHIFT 0u
/** The ticks that it moves at once. */
#define BOARD_CLOCK_RESOLUTION 1u
#else
#define BOARD_CLOCK_SHIFT 5u
#endif

/** Ticks a second of the board's own clock. */
#define BOARD_CLOCK_HZ (1000000u >> BOARD_CLOCK_SHIFT)

#endif
