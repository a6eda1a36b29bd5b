// The switch program on the coroutines of ../coroutine-cpp; README.md says what the rows mean here. C++14, for every board.
#include "ply/ply.hpp"
#include "switch.h"

namespace {

#if SWITCH_PROFILED

struct microseconds {
    using ticks = uint32_t;
    static ticks now() { return board_clock_ticks(); }
};
using profiling = ply::profiled<microseconds>;

#else

using profiling = ply::unprofiled;

#endif

class adder : public ply::coroutine<adder, ply::no_clock, profiling> {
public:
    PLY_BODY() {
        PLY_LOOP() {
            switch_add();
            PLY_YIELD();
            switch_add();
            PLY_YIELD();
        }
        PLY_END();
    }
};

adder first;
adder second;
ply::scheduler scheduler;

void direct() {
    for (unsigned left = SWITCH_ITERATIONS; left != 0; left -= 2) {
        first.resume();
        second.resume();
    }
}

void scheduled() {
    for (unsigned left = SWITCH_ITERATIONS; left != 0; left -= 1) {
        scheduler.step();
    }
}

#if SWITCH_PROFILED

ply::profiler first_times{"first"};
ply::profiler second_times{"second"};

// Each task was resumed for half of the iterations of both rows.
void check_profilers() {
    if (first_times.times.sum() != SWITCH_ITERATIONS || second_times.times.sum() != SWITCH_ITERATIONS) {
        board_write("the profilers did not count each resume\n");
        board_exit();
    }
}

switch_row rows[] = {
    {"EmptyLoop", switch_floor, 0, 0},
    {"DirectSchedulingWithProfiler", direct, 0, 0},
    {"CoroutineSchedulingWithProfiler", scheduled, 0, 0},
};

#else

switch_row rows[] = {
    {"EmptyLoop", switch_floor, 0, 0},
    {"DirectScheduling", direct, 0, 0},
    {"CoroutineScheduling", scheduled, 0, 0},
};

#endif

} // namespace

int main() {
    board_init();
    board_clock_start();
    scheduler.add(first);
    scheduler.add(second);
#if SWITCH_PROFILED
    first.profile(&first_times);
    second.profile(&second_times);
#endif
    for (switch_row &row : rows) {
        switch_time(&row);
    }
#if SWITCH_PROFILED
    check_profilers();
#endif

    // The renderers are functions: no object of theirs stays.
    const switch_size sizes[] = {
        {"task", sizeof(adder)},
        {"scheduler", sizeof(ply::scheduler)},
        {"channel", sizeof(ply::channel<uint32_t>)},
#if SWITCH_PROFILED
        {"profiler", sizeof(ply::profiler)},
        {"table_renderer", 0},
        {"json_renderer", 0},
#endif
    };
    SWITCH_REPORT_AND_EXIT("ply", rows, sizes);
}
