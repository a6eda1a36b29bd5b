/* Prints a finished search over the board's channel, in the words of ../../README.md. Never called inside the span. */
#ifndef CYCLESCOPE_REPORT_H
#define CYCLESCOPE_REPORT_H

#include "primes.h"

/** What the report says beside the search's own results. */
struct primes_run {
    const char *contender; /**< as in images.toml */
    const char *mode;      /**< plain, one, two or two-sliced */
    uint32_t counter;      /**< the second task's final value; 0 without one */
    uint32_t elapsed;      /**< ticks of the program's own clock */
    uint32_t clock_hz;     /**< ticks a second of that clock, not 0 */
};

/** Prints the found primes, the `done` line and the machine-readable result line. */
void primes_report(const struct primes_run *run, const struct primes_result *result);

#endif
