// Time as the library sees it: a counter that wraps, and a deadline on it.
//
// A clock is any type with an unsigned `ticks` and a static `now()`, for example
//
//     struct milliseconds {
//         using ticks = uint16_t;
//         static ticks now() { return static_cast<ticks>(millis()); }
//     };
//
// Sixteen bits of milliseconds suffice for delays up to 32,767 ms.
#ifndef PLY_CLOCK_HPP
#define PLY_CLOCK_HPP

namespace ply {

/// The clock of coroutines that never wait for time. It cannot be read.
struct no_clock {
    struct this_coroutine_has_no_clock; // never defined: its name is the error message of a PLY_DELAY
    using ticks = this_coroutine_has_no_clock;
};

/// Ticks from `since` to `until`, across at most one wrap of the counter.
template <class Ticks>
constexpr Ticks elapsed(Ticks since, Ticks until) {
    return static_cast<Ticks>(until - since);
}

/// The longest delay on a clock: half of its range, in ticks. The other half tells a deadline that has passed from one
/// that has not come yet, so a deadline must be looked at no later than this many ticks after it.
template <class Clock>
constexpr typename Clock::ticks longest_delay() {
    using ticks = typename Clock::ticks;
    static_assert(static_cast<ticks>(-1) > static_cast<ticks>(0), "a clock's ticks are unsigned, so that they wrap");
    return static_cast<ticks>(static_cast<ticks>(-1) / 2);
}

/// One moment on a clock that wraps.
template <class Clock>
class deadline {
public:
    using ticks = typename Clock::ticks;

    constexpr deadline() = default;

    /// Sets the moment `span` ticks from now. A longer span than `longest_delay` counts as `longest_delay`.
    void set(ticks span) {
        const ticks longest = longest_delay<Clock>();
        at_ = static_cast<ticks>(Clock::now() + (span < longest ? span : longest));
    }

    /// Whether the moment has come.
    bool reached() const { return elapsed<ticks>(at_, Clock::now()) <= longest_delay<Clock>(); }

private:
    ticks at_ = 0;
};

/// Nothing to keep for coroutines without a clock.
template <>
class deadline<no_clock> {};

} // namespace ply

#endif
