/*
 * Microseconds by SysTick, as board support packages have them: an interrupt at 1 kHz counts milliseconds, and the
 * counter's value says how much of one has passed. They wrap after 71 minutes.
 *
 * A board's board_clock.h defines BOARD_CORE_HZ, which feeds SysTick, and includes this. systick_micros.c is the clock of
 * programs without another tick; a kernel that owns SysTick hands its own count of ticks to `systick_micros`.
 */
#ifndef CYCLESCOPE_SYSTICK_MICROS_H
#define CYCLESCOPE_SYSTICK_MICROS_H

#include <stdint.h>

#include "cortex_m.h"

/** Ticks a second of the board's own clock. */
#define BOARD_CLOCK_HZ 1000000u
/** The ticks that it moves at once. */
#define BOARD_CLOCK_RESOLUTION 1u

/** Interrupts a second, and cycles between two. */
#define SYSTICK_INTERRUPT_HZ 1000u
#define SYSTICK_PERIOD (BOARD_CORE_HZ / SYSTICK_INTERRUPT_HZ)

/* Cycles over megahertz by a multiplication, since Armv6-M divides in software, for longer than a microsecond. The
 * quotient is exact below a millisecond: a quarter of the cycles (half of them where a quarter of the clock is no whole
 * number of megahertz), times a 2^20th (2^22nd) of the reciprocal, rounded up. */
#if BOARD_CORE_HZ % 4000000u == 0
#define SYSTICK_PART 4u
#define SYSTICK_SHIFT 20u
#else
#define SYSTICK_PART 2u
#define SYSTICK_SHIFT 22u
#endif
#define SYSTICK_PART_MHZ (BOARD_CORE_HZ / 1000000u / SYSTICK_PART)
#define SYSTICK_RECIPROCAL ((1u << SYSTICK_SHIFT) / SYSTICK_PART_MHZ + 1u)
#if BOARD_CORE_HZ % (1000000u * SYSTICK_PART) != 0 || \
    (SYSTICK_RECIPROCAL * SYSTICK_PART_MHZ - (1u << SYSTICK_SHIFT)) * (SYSTICK_PERIOD / SYSTICK_PART) >= \
        (1u << SYSTICK_SHIFT)
#error "the reciprocal is not exact for this clock"
#endif

#define SCB_ICSR_PENDSTSET (1u << 26)

/**
 * The time, where `ticks` tells how many interrupts SysTick's handler has counted. It may be called with that interrupt
 * masked, though not for longer than a millisecond, and not from a handler that preempts it.
 *
 * The count can wrap between the reading of the one and of the other. Unmasked, the handler has then run, and all is read
 * again; masked, its interrupt is pending, and the counter that counts is the one read after that was seen.
 */
static inline __attribute__((always_inline)) uint32_t systick_micros(uint32_t (*ticks)(void)) {
    uint32_t before, whole, left;

    do {
        before = ticks();
        whole = before;
        left = SYST_CVR;
        if ((SCB_ICSR & SCB_ICSR_PENDSTSET) != 0) {
            whole += 1;
            left = SYST_CVR;
        }
    } while (ticks() != before);
    /* The interrupt comes when the counter arrives at 0, and the cycle after has it loaded again. */
    uint32_t cycles = left == 0 ? 0 : SYSTICK_PERIOD - left;
    return whole * (BOARD_CLOCK_HZ / SYSTICK_INTERRUPT_HZ) + (cycles / SYSTICK_PART * SYSTICK_RECIPROCAL >> SYSTICK_SHIFT);
}

#endif
