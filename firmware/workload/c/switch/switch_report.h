/* Prints a finished run over the board's channel, in the words of ../../../README.md. Never called inside a span. */
#ifndef CYCLESCOPE_SWITCH_REPORT_H
#define CYCLESCOPE_SWITCH_REPORT_H

#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/** A row of the table: `run` is what it measures, the rest what `switch_time` finds. */
struct switch_row {
    const char *name;
    void (*run)(void);
    uint32_t counter; /**< at its end */
    uint32_t elapsed; /**< ticks of the board's own clock */
};

/** An object that a user pays for. */
struct switch_size {
    const char *object;
    uint16_t bytes;
};

/** All that is said of a run. */
struct switch_run {
    const char *contender;
    const char *mode;
    uint32_t iterations;
    const struct switch_row *rows;
    const struct switch_size *sizes;
    uint8_t row_count;
    uint8_t size_count;
};

/** Prints the lines for people and the result line. */
void switch_report(const struct switch_run *run);

#if defined(__cplusplus)
}
#endif

#endif
