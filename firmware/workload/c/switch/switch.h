/*
 * The counter, the floor, the one function that times every row, and the report: all C and C++ contenders of the switch
 * program share them (contract: ../../../README.md). The source with the tasks includes this. C11, or C++14 and later.
 */
#ifndef CYCLESCOPE_SWITCH_H
#define CYCLESCOPE_SWITCH_H

#include <stdint.h>

#include "board.h"
#include "switch_report.h"
#ifndef SWITCH_ALIGN
#define SWITCH_ALIGN ".balign 16"
#endif

/*
 * SWITCH_MODE and SWITCH_PROFILED, by the build's choice of mode:
 *
 *   plain          without a profiler
 *   profiled       the runtime's own profiler times each resume
 *   usb            plain, on a board that speaks over USB
 *   usb-profiled   profiled, on such a board
 *
 * A build has exactly one of them.
 */
#include "switch_mode.h"

/** Additions, and switches, in a row. */
#if defined(__AVR__)
#define SWITCH_ITERATIONS 10000u
#else
#define SWITCH_ITERATIONS 30000u
#endif
/** Turns of each of the two tasks, where a turn adds and gives way twice. */
#define SWITCH_TURNS (SWITCH_ITERATIONS / 4u)

#if defined(__cplusplus)
extern "C" {
#endif

/** The markers of the measured span: empty and never inlined, found by their names (../markers.c). */
void cyclescope_start(void);
void cyclescope_stop(void);

#if defined(__cplusplus)
}
#endif

/** What the tasks count up. */
static volatile uint32_t switch_counter;

/** The work of an iteration. */
static inline __attribute__((always_inline)) void switch_add(void) { switch_counter = switch_counter + 1; }

/**
 * The row `EmptyLoop`. All rows stand above it, so its cost must not hang on where the linker happens to put it: the loop
 * begins a line of whatever the flash is read by.
 */
static void switch_floor(void) {
    unsigned left = SWITCH_ITERATIONS;

    /* What the loop needs is in registers by here. */
    __asm__ volatile(SWITCH_ALIGN : : "r"(left), "r"(&switch_counter));
    for (; left != 0; left -= 1) {
        switch_add();
    }
}

/** Times a row: the same code for all, the call of the row included. */
static __attribute__((noinline, noclone)) void switch_time(struct switch_row *row) {
    switch_counter = 0;
    uint32_t from = board_clock_ticks();
    cyclescope_start();
    row->run();
    cyclescope_stop();
    uint32_t to = board_clock_ticks();
    row->counter = switch_counter;
    row->elapsed = to - from;
}

/** Prints the report of an array of rows and one of sizes, and ends the program. */
#define SWITCH_REPORT_AND_EXIT(contender, rows, sizes)                                          \
    do {                                                                                        \
        const struct switch_run switch_run_ = {contender,                                       \
                                               SWITCH_MODE,                                     \
                                               SWITCH_ITERATIONS,                               \
                                               rows,                                            \
                                               sizes,                                           \
                                               (uint8_t)(sizeof(rows) / sizeof((rows)[0])),     \
                                               (uint8_t)(sizeof(sizes) / sizeof((sizes)[0]))};  \
        switch_report(&switch_run_);                                                            \
        board_exit();                                                                           \
    } while (0)

#endif
