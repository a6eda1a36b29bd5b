/* The primes program without a runtime; README.md says what the modes mean here. */
#include "board.h"
#include "mode.h"
#include "primes.h"
#include "report.h"

#if PRIMES_YIELDS

#include "superloop.h"

static volatile bool running = true;
static struct primes_result result;
static struct primes_cursor cursor;
static uint32_t counter;

/* One turn of the inner loop a call; the yield is the return, so a call counts as a dispatch. */
static void search_step(void *context) {
    (void)context;
    result.dispatches += 1;
    switch (primes_turn(&cursor, &result)) {
    case PRIMES_UNDECIDED:
        return;
    case PRIMES_PRIME:
        if (result.found == PRIMES_WANTED) {
            running = false;
            return;
        }
        break;
    case PRIMES_COMPOSITE:
        break;
    }
    primes_next(&cursor, &result);
}

#if PRIMES_SECOND
static void counter_step(void *context) {
    (void)context;
    counter += 1;
}
#endif

static const struct superloop_task tasks[] = {
    {search_step, 0},
#if PRIMES_SECOND
    {counter_step, 0},
#endif
};

static void search(void) {
    primes_begin(&cursor, &result);
    primes_next(&cursor, &result);
    superloop_run(tasks, sizeof tasks / sizeof tasks[0], &running);
}

#else

static struct primes_result result;
static const uint32_t counter = 0;

static void search(void) { primes_search(&result, 0); }

#endif

int main(void) {
    board_init();
    board_clock_start();

    uint32_t from = board_clock_ticks();
    cyclescope_start();
    search();
    cyclescope_stop();
    uint32_t to = board_clock_ticks();

    const struct primes_run run = {
        .contender = "c-plain",
        .mode = PRIMES_MODE,
        .counter = counter,
        .elapsed = to - from,
        .clock_hz = BOARD_CLOCK_HZ,
    };
    primes_report(&run, &result);
    board_exit();
}
