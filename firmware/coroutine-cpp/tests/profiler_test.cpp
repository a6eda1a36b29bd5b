// Histograms: which bucket, when they stop, and what a resume counts as.
#include "check.hpp"

#include "../ply/ply.hpp"

namespace {

using microseconds = hand_clock<uint32_t>;
using short_clock = hand_clock<uint16_t>;

void buckets_begin_at_powers_of_two() {
    CHECK(ply::histogram::bucket_of(0) == 0);
    CHECK(ply::histogram::bucket_of(1) == 0);
    for (uint8_t k = 1; k < 32; k = static_cast<uint8_t>(k + 1)) {
        const uint32_t power = uint32_t{1} << k;
        CHECK(ply::histogram::bucket_of(power - 1) == k - 1);
        CHECK(ply::histogram::bucket_of(power) == k);
        CHECK(ply::histogram::bucket_of(power + 1) == (k == 0 ? 1 : k));
    }
    CHECK(ply::histogram::bucket_of(0xffffffff) == 31);
}

void a_histogram_counts_sums_and_clears() {
    ply::histogram times;
    times.count(0);
    times.count(1);
    times.count(2);
    times.count(1023);
    times.count(1024);
    times.count(0xffffffff);
    CHECK(times[0] == 2 && times[1] == 1 && times[9] == 1 && times[10] == 1 && times[31] == 1 && times[2] == 0);
    CHECK(times.sum() == 6 && times.sum(1, 9) == 2 && times.sum(31, 31) == 1);
    times.clear();
    CHECK(times.sum() == 0);
}

void counts_stop_at_the_most() {
    ply::histogram times;
    for (uint32_t k = 0; k < 65534; k += 1) {
        times.count(5);
    }
    CHECK(times[2] == 65534 && !times.saturated());
    times.count(5);
    CHECK(times[2] == 65535 && times.saturated() && times.saturated(2, 2) && !times.saturated(3, 31));
    times.count(5);
    CHECK(times[2] == 65535 && times[1] == 0 && times[3] == 0);
}

template <class Clock>
class busy : public ply::coroutine<busy<Clock>, ply::no_clock, ply::profiled<Clock>> {
public:
    typename Clock::ticks takes = 0;
    PLY_BODY() {
        PLY_LOOP() {
            Clock::time = static_cast<typename Clock::ticks>(Clock::time + takes);
            PLY_YIELD();
        }
        PLY_END();
    }
};

void each_resume_counts_direct_or_scheduled() {
    ply::profiler profiler{"busy"};
    busy<microseconds> one;
    ply::scheduler scheduler;
    scheduler.add(one);
    one.takes = 100;
    one.resume(); // no profiler yet
    CHECK(profiler.times.sum() == 0);
    one.profile(&profiler);
    microseconds::time = 0xffffffc0; // the clock wraps within the resume
    one.resume();
    CHECK(profiler.times[6] == 1 && profiler.times.sum() == 1);
    one.takes = 128;
    scheduler.step();
    one.resume_any();
    CHECK(profiler.times[7] == 2 && profiler.times.sum() == 3);
    one.suspend();
    one.resume();
    scheduler.step();
    CHECK(profiler.times.sum() == 3); // passed over is not resumed
    one.wake();
    one.profile(nullptr);
    one.resume();
    CHECK(profiler.times.sum() == 3);
}

void a_short_clock_wraps_within_a_resume() {
    ply::profiler profiler{"short"};
    busy<short_clock> one;
    one.profile(&profiler);
    short_clock::time = 65000;
    one.takes = 1024;
    one.resume();
    CHECK(profiler.times[10] == 1);
}

void profilers_of_a_list_are_linked_once_and_cleared_together() {
    ply::profiler_list list;
    ply::profiler a{"a"}, b{"b"};
    CHECK(list.first() == nullptr);
    CHECK(list.add(a) && list.add(b) && !list.add(a) && !list.add(b));
    CHECK(list.first() == &a && a.next() == &b && b.next() == nullptr);
    a.times.count(1);
    b.times.count(2);
    list.clear();
    CHECK(a.times.sum() == 0 && b.times.sum() == 0);
}

// What is not used is not there.
class plain : public ply::coroutine<plain> {
public:
    PLY_BODY() {
        PLY_BEGIN();
        PLY_END();
    }
};
static_assert(sizeof(plain) == sizeof(ply::node), "a coroutine without clock and profiler is a node");
static_assert(sizeof(busy<microseconds>) > sizeof(plain), "");

} // namespace

int main() {
    buckets_begin_at_powers_of_two();
    a_histogram_counts_sums_and_clears();
    counts_stop_at_the_most();
    each_resume_counts_direct_or_scheduled();
    a_short_clock_wraps_within_a_resume();
    profilers_of_a_list_are_linked_once_and_cleared_together();
    puts("profiler: all passed");
}
