#include "superloop.h"

/* A translation unit of its own: the calls stay calls through pointers whatever the optimisation. */
void superloop_run(const struct superloop_task *tasks, uint32_t count, const volatile bool *running) {
    while (*running) {
        for (uint32_t k = 0; k < count && *running; k += 1) {
            tasks[k].step(tasks[k].context);
        }
    }
}
