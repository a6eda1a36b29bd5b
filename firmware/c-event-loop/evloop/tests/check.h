/* Assertions that count: a failed one prints itself and the program exits with 1 at its end. */
#ifndef EVLOOP_CHECK_H
#define EVLOOP_CHECK_H

#include <stdio.h>

static unsigned checks_done, checks_failed;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        checks_done += 1;                                                                                              \
        if (!(condition)) {                                                                                            \
            checks_failed += 1;                                                                                        \
            printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                                             \
        }                                                                                                              \
    } while (0)

static inline int checks_end(const char *name) {
    printf("%s: %u checks, %u failed\n", name, checks_done, checks_failed);
    return checks_failed != 0;
}

#endif
