/* A super-loop: the steps of a fixed list, called in turn for ever, each of which does a little and returns. */
#ifndef C_PLAIN_SUPERLOOP_H
#define C_PLAIN_SUPERLOOP_H

#include <stdbool.h>
#include <stdint.h>

/** One entry: `step` gets `context` on each round. */
struct superloop_task {
    void (*step)(void *context);
    void *context;
};

/** Calls the steps in their order, round after round, until one of them has cleared `*running`. */
void superloop_run(const struct superloop_task *tasks, uint32_t count, const volatile bool *running);

#endif
