/* The switch program on evloop: two handlers that queue each other; README.md says what the rows mean here. */
#include "evloop/evloop.h"
#include "switch.h"

/** One event waits at a time. */
#define QUEUE_CAPACITY 2

static struct evl_event slots[QUEUE_CAPACITY];
static struct evl_loop loop;

/* The direct row calls its handlers through these, which are not constant, as a table of handlers would be. */
static struct evl_closure ping, pong;

/* The queue has room for what these append. */
static void queue_ping(void) { (void)evl_enqueue(&loop, &ping, 0); }
static void queue_pong(void) { (void)evl_enqueue(&loop, &pong, 0); }

static void on_call(void *context, void *params) {
    (void)context;
    (void)params;
    switch_add();
}

static void on_ping(void *context, void *params) {
    (void)context;
    (void)params;
    switch_add();
    queue_pong();
}

/* Counts the turns down; after the last nothing waits, and the loop returns. */
static void on_pong(void *context, void *params) {
    unsigned *turns = context;

    (void)params;
    switch_add();
    *turns -= 1;
    if (*turns != 0) {
        queue_ping();
    }
}

static void direct(void) {
    for (unsigned left = SWITCH_ITERATIONS; left != 0; left -= 2) {
        evl_invoke(&ping, 0);
        evl_invoke(&pong, 0);
    }
}

static void scheduled(void) { evl_run(&loop); }

int main(void) {
    static unsigned turns = SWITCH_ITERATIONS / 2;
    static struct switch_row rows[] = {
        {.name = "EmptyLoop", .run = switch_floor},
        {.name = "DirectScheduling", .run = direct},
        {.name = "CoroutineScheduling", .run = scheduled},
    };
    static const struct switch_size sizes[] = {
        {"task", sizeof(struct evl_closure)},
        {"scheduler", sizeof loop + sizeof slots},
        {"channel", sizeof(struct evl_queue) + sizeof(struct evl_event)},
    };

    board_init();
    board_clock_start();
    (void)evl_init(&loop, slots, QUEUE_CAPACITY); /* a power of two: it cannot be refused */

    ping = evl_closure(on_call, 0);
    pong = evl_closure(on_call, 0);
    switch_time(&rows[0]);
    switch_time(&rows[1]);

    ping = evl_closure(on_ping, 0);
    pong = evl_closure(on_pong, &turns);
    queue_ping();
    switch_time(&rows[2]);

    SWITCH_REPORT_AND_EXIT("c-loop", rows, sizes);
}
