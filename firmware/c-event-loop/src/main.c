/* The primes program on evloop; README.md says what the modes mean here. */
#include "board.h"
#include "evloop/evloop.h"
#include "mode.h"
#include "primes.h"
#include "report.h"

/** Room for the two closures that can wait at once, and for as many again. */
#define QUEUE_CAPACITY 4

static struct evl_event slots[QUEUE_CAPACITY];
static struct evl_loop loop;
static struct primes_result result;

#if PRIMES_YIELDS

/* The search as two closures: `trial` begins a number and enqueues `turn`, which enqueues itself until the number is
 * decided and then `trial` again. Each dispatch of either counts. */
static struct search {
    struct evl_closure trial;
    struct evl_closure turn;
    struct primes_cursor cursor;
} search;

/* The queue holds one search event and one counter event at most, so it cannot be full here. */
static void enqueue(const struct evl_closure *closure) { (void)evl_enqueue(&loop, closure, 0); }

static void run_trial(void *context, void *params) {
    struct search *self = context;

    (void)params;
    result.dispatches += 1;
    primes_next(&self->cursor, &result);
    enqueue(&self->turn);
}

static void run_turn(void *context, void *params) {
    struct search *self = context;

    (void)params;
    result.dispatches += 1;
    switch (primes_turn(&self->cursor, &result)) {
    case PRIMES_UNDECIDED:
        enqueue(&self->turn);
        return;
    case PRIMES_PRIME:
        if (result.found == PRIMES_WANTED) {
            evl_stop(&loop);
            return;
        }
        break;
    case PRIMES_COMPOSITE:
        break;
    }
    enqueue(&self->trial);
}

static void search_enqueue(void) {
    search.trial = evl_closure(run_trial, &search);
    search.turn = evl_closure(run_turn, &search);
    primes_begin(&search.cursor, &result);
    enqueue(&search.trial);
}

#else

/* The whole search in one closure, which never gives the loop its turn. */
static void run_search(void *context, void *params) {
    (void)params;
    primes_search(context, 0);
    evl_stop(&loop);
}

static void search_enqueue(void) {
    const struct evl_closure whole = evl_closure(run_search, &result);

    (void)evl_enqueue(&loop, &whole, 0);
}

#endif

#if PRIMES_SECOND

static struct counting {
    struct evl_closure self;
    uint32_t value;
} counting;

static void run_counter(void *context, void *params) {
    struct counting *self = context;

    (void)params;
    self->value += 1;
    enqueue(&self->self);
}

static void counter_enqueue(void) {
    counting.self = evl_closure(run_counter, &counting);
    enqueue(&counting.self);
}

static uint32_t counter_value(void) { return counting.value; }

#else

static void counter_enqueue(void) {}
static uint32_t counter_value(void) { return 0; }

#endif

int main(void) {
    board_init();
    board_clock_start();
    (void)evl_init(&loop, slots, QUEUE_CAPACITY); /* a power of two: it cannot be refused */
    search_enqueue();
    counter_enqueue();

    uint32_t from = board_clock_ticks();
    cyclescope_start();
    evl_run(&loop);
    cyclescope_stop();
    uint32_t to = board_clock_ticks();

    const struct primes_run run = {
        .contender = "c-loop",
        .mode = PRIMES_MODE,
        .counter = counter_value(),
        .elapsed = to - from,
        .clock_hz = BOARD_CLOCK_HZ,
    };
    primes_report(&run, &result);
    board_exit();
}
