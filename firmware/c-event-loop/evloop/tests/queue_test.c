#include "check.h"
#include "evloop/evloop.h"

/* The critical sections of this build count themselves (see the Makefile), so that a path that leaves one open, or
 * that enters none, shows. */
unsigned critical_entered, critical_left;

static void nothing(void *context, void *params) {
    (void)context;
    (void)params;
}

static struct evl_event numbered(uintptr_t number) {
    struct evl_event event = {{nothing, (void *)number}, (void *)(number * 2)};
    return event;
}

static void rejects_bad_storage(void) {
    struct evl_event slots[8];
    struct evl_queue queue;

    CHECK(!evl_queue_init(&queue, 0, 8));
    CHECK(!evl_queue_init(&queue, slots, 0));
    CHECK(!evl_queue_init(&queue, slots, 3));
    CHECK(!evl_queue_init(&queue, slots, 6));
    CHECK(!evl_queue_init(&queue, slots, 65536));
    CHECK(evl_queue_init(&queue, slots, 1));
    CHECK(evl_queue_init(&queue, slots, 8));
    CHECK(evl_queue_count(&queue) == 0);
}

static void keeps_order_and_says_full(uint32_t capacity) {
    struct evl_event slots[8], event;
    struct evl_queue queue;
    uintptr_t pushed = 0, popped = 0;

    CHECK(evl_queue_init(&queue, slots, capacity));
    CHECK(!evl_queue_pop(&queue, &event));
    /* Each round fills the ring and takes one event less out than fits, so that its start walks through all slots. */
    for (unsigned round = 0; round < 5 * capacity; round += 1) {
        for (uint32_t room = capacity - evl_queue_count(&queue); room != 0; room -= 1) {
            event = numbered(++pushed);
            CHECK(evl_queue_push(&queue, &event));
        }
        event = numbered(9999);
        CHECK(!evl_queue_push(&queue, &event));
        CHECK(evl_queue_count(&queue) == capacity);
        for (unsigned k = 0; k + 1 < capacity || k == 0; k += 1) {
            CHECK(evl_queue_pop(&queue, &event));
            CHECK(event.closure.context == (void *)++popped);
            CHECK(event.params == (void *)(popped * 2));
        }
    }
    while (evl_queue_pop(&queue, &event)) {
        CHECK(event.closure.context == (void *)++popped);
    }
    CHECK(popped == pushed);
}

static void closes_what_it_opens(void) {
    struct evl_event slots[1], event = numbered(1);
    struct evl_queue queue;

    CHECK(evl_queue_init(&queue, slots, 1));
    critical_entered = critical_left = 0;
    CHECK(evl_queue_push(&queue, &event));
    CHECK(!evl_queue_push(&queue, &event));
    CHECK(evl_queue_pop(&queue, &event));
    CHECK(!evl_queue_pop(&queue, &event));
    CHECK(critical_entered == 4);
    CHECK(critical_left == 4);
}

int main(void) {
    rejects_bad_storage();
    keeps_order_and_says_full(1);
    keeps_order_and_says_full(2);
    keeps_order_and_says_full(8);
    closes_what_it_opens();
    return checks_end("queue");
}
