// The scheduler and its pool on the host: order, frames given back, and what is refused.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../coro/scheduler.hpp"

namespace {

coro::scheduler scheduler;
char trace[64];

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            std::printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);         \
            std::exit(1);                                                                 \
        }                                                                                 \
    } while (0)

void note(char what) { trace[std::strlen(trace)] = what; }

coro::task turns(char name, int count, bool last) {
    for (int k = 0; k < count; k += 1) {
        note(name);
        co_await scheduler.yield();
    }
    if (last) {
        scheduler.stop();
    }
}

coro::task large() {
    char much[2 * coro::max_frame_bytes];
    std::memset(much, 'x', sizeof much);
    co_await scheduler.yield();
    note(much[0]);
}

void tasks_take_turns_and_give_their_frames_back() {
    std::memset(trace, 0, sizeof trace);
    CHECK(scheduler.spawn(turns('a', 2, false)));
    CHECK(scheduler.spawn(turns('b', 4, true)));
    CHECK(coro::frames.used() == 2);
    scheduler.run();
    CHECK(std::strcmp(trace, "ababbb") == 0);
    CHECK(coro::frames.used() == 0);
}

void a_full_pool_and_a_large_frame_are_refused() {
    coro::task first = turns('a', 1, false);
    coro::task second = turns('b', 1, false);
    CHECK(!scheduler.spawn(turns('c', 1, false)));
    CHECK(coro::frames.used() == 2);
    (void)first;
    (void)second;
}

void tasks_never_spawned_give_their_frames_back() {
    CHECK(coro::frames.used() == 0);
    CHECK(!scheduler.spawn(large()));
    CHECK(coro::frames.used() == 0);
}

} // namespace

int main() {
    tasks_take_turns_and_give_their_frames_back();
    a_full_pool_and_a_large_frame_are_refused();
    tasks_never_spawned_give_their_frames_back();
    std::puts("scheduler: all passed");
}
