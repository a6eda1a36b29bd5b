// The switch program as C++20 coroutines; README.md says what the rows mean here.
#include <cstdint>

// What the largest of the frames below takes, found by trying: with less the program gives up.
#define CORO_MAX_FRAME_BYTES 36
#include "scheduler.hpp"
#include "switch.h"

namespace {

constinit coro::scheduler scheduler;

/// The task of the direct row: whoever resumes it gets control back by its suspension.
coro::task resumed() {
    for (;;) {
        switch_add();
        co_await std::suspend_always{};
        switch_add();
        co_await std::suspend_always{};
    }
}

/// The tasks of the scheduled row. The first ends it: its turn comes again when the second has had its last one.
coro::task counted(unsigned turns) {
    for (; turns != 0; turns -= 1) {
        switch_add();
        co_await scheduler.yield();
        switch_add();
        co_await scheduler.yield();
    }
    scheduler.stop();
}

coro::task endless() {
    for (;;) {
        switch_add();
        co_await scheduler.yield();
        switch_add();
        co_await scheduler.yield();
    }
}

coro::task::handle first;
coro::task::handle second;

void direct() {
    for (unsigned left = SWITCH_ITERATIONS; left != 0; left -= 2) {
        first.resume();
        second.resume();
    }
}

void scheduled() { scheduler.run(); }

/// Ends the program without a result line, which no experiment takes for a result.
[[noreturn]] void give_up(const char *why) {
    board_write(why);
    board_exit();
}

constinit switch_row rows[] = {
    {"EmptyLoop", switch_floor, 0, 0},
    {"DirectScheduling", direct, 0, 0},
    {"CoroutineScheduling", scheduled, 0, 0},
};

} // namespace

int main() {
    board_init();
    board_clock_start();

    switch_time(&rows[0]);

    first = resumed().release();
    second = resumed().release();
    if (!first || !second) {
        give_up("a coroutine's frame does not fit the pool\n");
    }
    switch_time(&rows[1]);
    // The pool has two frames.
    first.destroy();
    second.destroy();

    if (!scheduler.spawn(counted(SWITCH_TURNS)) || !scheduler.spawn(endless())) {
        give_up("a coroutine's frame does not fit the pool\n");
    }
    switch_time(&rows[2]);

    const switch_size sizes[] = {
        {"task", sizeof coro::frames / coro::max_tasks},
        {"scheduler", sizeof(coro::scheduler)},
    };
    SWITCH_REPORT_AND_EXIT("cpp20-coroutines", rows, sizes);
}
