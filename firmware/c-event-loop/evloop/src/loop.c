#include "evloop/evloop.h"

bool evl_init(struct evl_loop *loop, struct evl_event *slots, uint32_t capacity) {
    loop->stopped = false;
    return evl_queue_init(&loop->queue, slots, capacity);
}

bool evl_enqueue(struct evl_loop *loop, const struct evl_closure *closure, void *params) {
    const struct evl_event event = {*closure, params};

    return evl_queue_push(&loop->queue, &event);
}

void evl_run(struct evl_loop *loop) {
    struct evl_event event;

    loop->stopped = false;
    while (!loop->stopped && evl_queue_pop(&loop->queue, &event)) {
        evl_invoke(&event.closure, event.params);
    }
}

void evl_stop(struct evl_loop *loop) { loop->stopped = true; }
