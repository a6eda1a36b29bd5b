/*
 * evloop: a loop of queued closures for firmware without an operating system. README.md explains; this is all of its
 * interface.
 */
#ifndef EVLOOP_EVLOOP_H
#define EVLOOP_EVLOOP_H

#include <stdbool.h>
#include <stdint.h>

/** This library's version. */
#define EVLOOP_VERSION "0.1.0"

/** A piece of work: `function` runs once for each time the closure is dispatched. Plain data, copied freely. */
struct evl_closure {
    void (*function)(void *context, void *params);
    void *context; /**< what the closure works on; the same at each dispatch */
};

/** A closure with the parameters of one dispatch, as it waits in the queue. */
struct evl_event {
    struct evl_closure closure;
    void *params;
};

/** A first-in first-out ring over storage that the caller owns. Its fields are private to the library. */
struct evl_queue {
    struct evl_event *slots;
    uint16_t mask;  /* capacity - 1 */
    uint16_t head;  /* index of the oldest event */
    uint16_t count; /* events waiting */
};

/** An event loop. Its fields are private to the library. */
struct evl_loop {
    struct evl_queue queue;
    volatile bool stopped;
};

/** Makes a closure. */
static inline struct evl_closure evl_closure(void (*function)(void *context, void *params), void *context) {
    struct evl_closure closure = {function, context};
    return closure;
}

/** Runs a closure here and now, past any queue. */
static inline void evl_invoke(const struct evl_closure *closure, void *params) {
    closure->function(closure->context, params);
}

/**
 * Empties a queue and gives it its storage. `capacity` is a power of two from 1 to 32768; false, with the queue
 * left as it was, for anything else and for missing storage.
 */
bool evl_queue_init(struct evl_queue *queue, struct evl_event *slots, uint32_t capacity);

/** Appends a copy of the event; false when the queue is full. May be called from an interrupt handler. */
bool evl_queue_push(struct evl_queue *queue, const struct evl_event *event);

/** Takes the oldest event out; false when there is none. May be called from an interrupt handler. */
bool evl_queue_pop(struct evl_queue *queue, struct evl_event *event);

/** How many events wait. */
uint32_t evl_queue_count(const struct evl_queue *queue);

/** Sets a loop up over the caller's storage; the result is `evl_queue_init`'s. */
bool evl_init(struct evl_loop *loop, struct evl_event *slots, uint32_t capacity);

/**
 * Queues a closure for one dispatch. A closure that wants to run again enqueues itself while it runs. False when the
 * queue is full: the dispatch is then lost and the caller decides what that means.
 */
bool evl_enqueue(struct evl_loop *loop, const struct evl_closure *closure, void *params);

/**
 * Dispatches what is queued, oldest first, what the closures enqueue meanwhile included. Returns when the queue is
 * empty (idle) or when a closure called `evl_stop`; events still queued then stay queued.
 */
void evl_run(struct evl_loop *loop);

/** Lets `evl_run` return after the closure that is running. The next `evl_run` clears it. */
void evl_stop(struct evl_loop *loop);

#endif
