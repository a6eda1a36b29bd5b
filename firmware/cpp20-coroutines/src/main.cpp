// The primes program as C++20 coroutines; README.md says what the modes mean here.
#include <cstdint>

#define _Noreturn [[noreturn]] // as board.h, which is C, spells it
extern "C" {
#include "board.h"
#include "mode.h"
#include "primes.h"
#include "report.h"
}

#include "scheduler.hpp"

namespace {

constinit coro::scheduler scheduler;
constinit primes_result result{};
constinit std::uint32_t counter = 0;
constinit std::uint32_t elapsed = 0;

/// The loop of `primes_search`, turn by turn the same, with the yield as a `co_await`: a coroutine cannot hand that to a
/// function that it calls.
coro::task search() {
    const std::uint32_t from = board_clock_ticks();
    cyclescope_start();
    if constexpr (PRIMES_YIELDS == 0) {
        primes_search(&result, nullptr);
    } else {
        std::uint64_t n = PRIMES_FIRST;
        std::uint32_t found = 0, trials = 0, loops = 0, dispatches = 0;

        while (found < PRIMES_WANTED) {
            trials += 1;
            for (std::uint64_t i = primes_first_divisor();; i += 1) {
                loops += 1;
                dispatches += 1;
                co_await scheduler.yield();
                if (i * i > n) {
                    result.primes[found] = n;
                    found += 1;
                    break;
                }
                if (n % i == 0) {
                    break;
                }
            }
            n += 1;
        }
        result.found = found;
        result.trials = trials;
        result.loops = loops;
        result.dispatches = dispatches;
    }
    cyclescope_stop();
    elapsed = board_clock_ticks() - from;
    scheduler.stop();
    co_return;
}

#if PRIMES_SECOND

coro::task count() {
    for (;;) {
        counter += 1;
        co_await scheduler.yield();
    }
}

#endif

/// Ends the program without a result line, which no experiment takes for a result.
[[noreturn]] void give_up(const char *why) {
    board_write(why);
    board_exit();
}

} // namespace

int main() {
    constexpr std::size_t tasks = 1 + PRIMES_SECOND;

    board_init();
    board_clock_start();
    bool ready = scheduler.spawn(search());
#if PRIMES_SECOND
    ready = ready && scheduler.spawn(count());
#endif
    if (!ready || coro::frames.used() != tasks) {
        give_up("a coroutine's frame does not fit the pool\n");
    }
    scheduler.run();

    primes_run run{};
    run.contender = "cpp20-coroutines";
    run.mode = PRIMES_MODE;
    run.counter = counter;
    run.elapsed = elapsed;
    run.clock_hz = BOARD_CLOCK_HZ;
    primes_report(&run, &result);
    board_exit();
}
