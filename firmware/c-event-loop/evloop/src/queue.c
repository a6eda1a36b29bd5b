#include "evloop/evloop.h"
#include "evloop/port.h"

bool evl_queue_init(struct evl_queue *queue, struct evl_event *slots, uint32_t capacity) {
    if (slots == 0 || capacity == 0 || capacity > 32768 || (capacity & (capacity - 1)) != 0) {
        return false;
    }
    queue->slots = slots;
    queue->mask = (uint16_t)(capacity - 1);
    queue->head = 0;
    queue->count = 0;
    return true;
}

bool evl_queue_push(struct evl_queue *queue, const struct evl_event *event) {
    uint32_t saved = EVL_CRITICAL_ENTER();
    bool fits = queue->count <= queue->mask;

    if (fits) {
        queue->slots[(queue->head + queue->count) & queue->mask] = *event;
        queue->count += 1;
    }
    EVL_CRITICAL_EXIT(saved);
    return fits;
}

bool evl_queue_pop(struct evl_queue *queue, struct evl_event *event) {
    uint32_t saved = EVL_CRITICAL_ENTER();
    bool some = queue->count != 0;

    if (some) {
        *event = queue->slots[queue->head];
        queue->head = (queue->head + 1) & queue->mask;
        queue->count -= 1;
    }
    EVL_CRITICAL_EXIT(saved);
    return some;
}

uint32_t evl_queue_count(const struct evl_queue *queue) { return *(const volatile uint16_t *)&queue->count; }
