#include "check.h"
#include "evloop/evloop.h"

unsigned critical_entered, critical_left;

static struct evl_loop loop;
static struct evl_event slots[4];
static char trace[32];
static unsigned traced;

static void note(void *context, void *params) {
    trace[traced++] = *(const char *)context;
    if (params != 0) {
        *(unsigned *)params += 1;
    }
}

static void expect_trace(const char *expected) {
    unsigned k = 0;

    while (expected[k] != '\0' && k < traced && expected[k] == trace[k]) {
        k += 1;
    }
    CHECK(expected[k] == '\0' && k == traced);
    traced = 0;
}

static void runs_in_order_with_params_until_idle(void) {
    unsigned a_runs = 0;
    struct evl_closure a = evl_closure(note, "a"), b = evl_closure(note, "b");

    CHECK(evl_init(&loop, slots, 4));
    evl_run(&loop);
    expect_trace("");
    CHECK(evl_enqueue(&loop, &a, &a_runs));
    CHECK(evl_enqueue(&loop, &b, 0));
    CHECK(evl_enqueue(&loop, &a, &a_runs));
    expect_trace("");
    evl_run(&loop);
    expect_trace("aba");
    CHECK(a_runs == 2);
    evl_invoke(&b, 0);
    expect_trace("b");
}

struct repeating {
    struct evl_closure self;
    unsigned left;
    char letter;
    bool stops;
};

static void repeat(void *context, void *params) {
    struct repeating *me = context;

    (void)params;
    note(&me->letter, 0);
    if (--me->left != 0) {
        CHECK(evl_enqueue(&loop, &me->self, 0));
    } else if (me->stops) {
        evl_stop(&loop);
    }
}

static struct repeating repeating(char letter, unsigned times, bool stops) {
    struct repeating made = {{0, 0}, times, letter, stops};
    return made;
}

static void takes_turns_among_closures_that_requeue_themselves(void) {
    struct repeating x = repeating('x', 3, false), y = repeating('y', 5, false);

    x.self = evl_closure(repeat, &x);
    y.self = evl_closure(repeat, &y);
    CHECK(evl_init(&loop, slots, 4));
    CHECK(evl_enqueue(&loop, &x.self, 0));
    CHECK(evl_enqueue(&loop, &y.self, 0));
    evl_run(&loop);
    expect_trace("xyxyxyyy");
    CHECK(evl_queue_count(&loop.queue) == 0);
}

static void stops_after_the_running_closure_and_keeps_the_rest(void) {
    struct repeating x = repeating('x', 2, true), y = repeating('y', 9, false);

    x.self = evl_closure(repeat, &x);
    y.self = evl_closure(repeat, &y);
    CHECK(evl_init(&loop, slots, 4));
    CHECK(evl_enqueue(&loop, &x.self, 0));
    CHECK(evl_enqueue(&loop, &y.self, 0));
    evl_run(&loop);
    expect_trace("xyx");
    CHECK(evl_queue_count(&loop.queue) == 1);
    evl_run(&loop); /* goes on where it stopped, until idle */
    expect_trace("yyyyyyyy");
}

static void tells_when_a_dispatch_is_lost(void) {
    struct evl_closure a = evl_closure(note, "a");

    CHECK(evl_init(&loop, slots, 2));
    CHECK(evl_enqueue(&loop, &a, 0));
    CHECK(evl_enqueue(&loop, &a, 0));
    CHECK(!evl_enqueue(&loop, &a, 0));
    evl_run(&loop);
    expect_trace("aa");
}

int main(void) {
    runs_in_order_with_params_until_idle();
    takes_turns_among_closures_that_requeue_themselves();
    stops_after_the_running_closure_and_keeps_the_rest();
    tells_when_a_dispatch_is_lost();
    return checks_end("loop");
}
