/*
 * Microseconds by the core's own counter, as board support packages have them: CCOMPARE0 interrupts at 1 kHz, which counts
 * milliseconds, and CCOUNT says how much of one has passed. They wrap after 71 minutes.
 *
 * A board's board_clock.h defines BOARD_CORE_HZ, the rate of CCOUNT, and includes this. ccount_micros.c is the clock of programs
 * without another tick; a kernel that owns CCOMPARE0 hands its own count of ticks to `ccount_micros`.
 */
#ifndef CYCLESCOPE_CCOUNT_MICROS_H
#define CYCLESCOPE_CCOUNT_MICROS_H

#include <stdint.h>

#include "xtensa.h"

/** Ticks a second of the board's own clock. */
#define BOARD_CLOCK_HZ 1000000u
/** The ticks that it moves at once. */
#define BOARD_CLOCK_RESOLUTION 1u

/** Interrupts a second, and cycles between two. */
#define CCOUNT_INTERRUPT_HZ 1000u
#define CCOUNT_PERIOD (BOARD_CORE_HZ / CCOUNT_INTERRUPT_HZ)

/* Cycles over megahertz by a multiplication, as the LX106 divides in software, for longer than a microsecond: a sixteenth of the
 * cycles times a 2^20th of the reciprocal, rounded up. The quotient is exact for two periods, longer than which no tick waits. */
#define CCOUNT_PART 16u
#define CCOUNT_SHIFT 20u
#define CCOUNT_PART_MHZ (BOARD_CORE_HZ / 1000000u / CCOUNT_PART)
#define CCOUNT_RECIPROCAL ((1u << CCOUNT_SHIFT) / CCOUNT_PART_MHZ + 1u)
#if BOARD_CORE_HZ % (1000000u * CCOUNT_PART) != 0 || \
    (CCOUNT_RECIPROCAL * CCOUNT_PART_MHZ - (1u << CCOUNT_SHIFT)) * (2u * CCOUNT_PERIOD / CCOUNT_PART) >= (1u << CCOUNT_SHIFT)
#error "the reciprocal is not exact for this clock"
#endif

/** Moves CCOMPARE0 on to the next tick. */
static inline void ccount_next_tick(void) { xtensa_set_ccompare0(xtensa_ccompare0() + CCOUNT_PERIOD); }

/** Starts the ticks. */
static inline void ccount_start(void) {
    xtensa_set_ccompare0(xtensa_ccount() + CCOUNT_PERIOD);
    xtensa_enable(INTERRUPT_CCOMPARE0);
}

/**
 * The time, where `ticks` tells how many interrupts have been counted. It may be called with the interrupt masked, though not for
 * longer than a millisecond: CCOMPARE0 then still names the tick that waits, and CCOUNT has passed it.
 */
static inline __attribute__((always_inline)) uint32_t ccount_micros(uint32_t (*ticks)(void)) {
    uint32_t whole, next, now;

    do {
        whole = ticks();
        next = xtensa_ccompare0();
        now = xtensa_ccount();
    } while (ticks() != whole);
    uint32_t cycles = now - next + CCOUNT_PERIOD;
    return whole * (BOARD_CLOCK_HZ / CCOUNT_INTERRUPT_HZ) + (cycles / CCOUNT_PART * CCOUNT_RECIPROCAL >> CCOUNT_SHIFT);
}

#endif
