/* What the syscall program found, and how it says so. */
#ifndef CYCLESCOPE_FREERTOS_RESULT_H
#define CYCLESCOPE_FREERTOS_RESULT_H

#include <stdint.h>

/** Calls that count, after the one that warms up. */
#define CALLS 8u

/** What the task that calls hands to the one that prints. */
struct result {
    uint32_t calls; /**< calls that were answered as they should be, the first one not counted */
    uint32_t sum;   /**< of what came back */
};

/** Prints the line that ends the program's output, and ends the program. */
_Noreturn void result_report(const char *call, const struct result *result);

#endif
