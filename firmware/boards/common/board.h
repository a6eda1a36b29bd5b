/*
 * What a program asks of its board. One implementation a board, in the folders beside this one.
 *
 * `board_clock_*` is a hardware timer for programs whose runtime has no clock of its own; it lives in a file apart
 * (clock.c), so that a runtime that owns the same timer links without it.
 */
#ifndef CYCLESCOPE_BOARD_H
#define CYCLESCOPE_BOARD_H

#include <stdint.h>

/* The board's, with BOARD_CLOCK_HZ. */
#include "board_clock.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** Sets the clock tree, the flash and the output channel up. Call it first. */
void board_init(void);

/** Sends a NUL-terminated text over the channel; returns when the channel has taken it. */
void board_write(const char *text);

/** Ends the program: waits until the channel is empty, then masks interrupts and sleeps, or exits with 0. */
__attribute__((noreturn)) void board_exit(void);

/** Starts the own clock at 0. */
void board_clock_start(void);

/** Ticks since `board_clock_start`; see each board for where it wraps. */
uint32_t board_clock_ticks(void);

#if defined(__cplusplus)
}
#endif

#endif
