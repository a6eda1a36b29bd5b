// Coroutines resumed by hand: where they pause, where they go on, and what survives.
#include "check.hpp"

namespace {
int lost = 0;
}
#define PLY_LOST() lost += 1
#include "../ply/ply.hpp"

namespace {

using milliseconds = hand_clock<uint16_t>;
using wide = hand_clock<uint32_t>;
using narrow = hand_clock<uint8_t>;

class steps : public ply::coroutine<steps> {
public:
    int reached = 0;
    PLY_BODY() {
        PLY_BEGIN();
        reached = 1;
        PLY_YIELD();
        reached = 2;
        PLY_YIELD();
        reached = 3;
        PLY_END();
    }
};

void a_body_goes_on_where_it_yielded_and_ends() {
    steps one;
    CHECK(one.reached == 0 && one.state() == ply::state::active);
    one.resume();
    CHECK(one.reached == 1);
    one.resume();
    CHECK(one.reached == 2 && one.state() == ply::state::active);
    one.resume();
    CHECK(one.reached == 3 && one.state() == ply::state::ended);
}

void an_ended_coroutine_stays_ended_until_restarted() {
    steps one;
    one.end();
    one.resume();
    one.resume_any();
    CHECK(one.reached == 0);
    one.wake();
    one.suspend();
    CHECK(one.state() == ply::state::ended);
    one.restart();
    one.resume();
    CHECK(one.reached == 1);
    one.resume();
    one.resume();
    CHECK(one.state() == ply::state::ended);
    one.reached = 9;
    one.resume();
    CHECK(one.reached == 9);
    one.restart();
    one.resume();
    CHECK(one.reached == 1);
    one.resume();
    one.restart(); // in its middle
    one.resume();
    CHECK(one.reached == 1);
}

class counter : public ply::coroutine<counter> {
public:
    explicit counter(int from) : count{from} {}
    int count;
    int inner = 0;
    PLY_BODY() {
        PLY_LOOP() {
            for (inner = 0; inner < 3; inner += 1) {
                PLY_YIELD();
                if (inner == 1) {
                    PLY_YIELD();
                    count += 100;
                }
            }
            count += 1;
        }
        PLY_END();
    }
};

void two_of_one_class_have_their_own_places_and_members() {
    counter a{0};
    counter b{5000};
    a.resume();
    for (int turn = 0; turn < 4; turn += 1) { // a turn of the loop pauses four times
        a.resume();
    }
    CHECK(a.count == 101 && b.count == 5000);
    b.resume();
    b.resume();
    b.resume();
    CHECK(b.inner == 1 && b.count == 5000);
    b.resume();
    CHECK(b.inner == 2 && b.count == 5100);
    CHECK(a.inner == 0 && a.count == 101);
    for (int turn = 0; turn < 40; turn += 1) {
        a.resume();
    }
    CHECK(a.count == 1111 && b.count == 5100);
}

class waiter : public ply::coroutine<waiter> {
public:
    bool go = false;
    int looked = 0;
    int passed = 0;
    bool look() {
        looked += 1;
        return go;
    }
    PLY_BODY() {
        PLY_BEGIN();
        PLY_AWAIT(look());
        passed = 1;
        PLY_AWAIT(look());
        passed = 2;
        PLY_END();
    }
};

void await_looks_once_a_resume_and_goes_on_at_once() {
    waiter one;
    one.resume();
    one.resume();
    CHECK(one.looked == 2 && one.passed == 0);
    one.go = true;
    one.resume();
    CHECK(one.looked == 4 && one.passed == 2);
    CHECK(one.state() == ply::state::ended);
}

template <class Clock>
class sleeper : public ply::coroutine<sleeper<Clock>, Clock> {
public:
    typename Clock::ticks span = 0;
    int woken = 0;
    PLY_BODY() {
        PLY_LOOP() {
            PLY_DELAY(span);
            woken += 1;
            PLY_YIELD();
        }
        PLY_END();
    }
};

/// From every one of `starts`, a delay of `span` is over after `span` ticks and not before.
template <class Clock>
void delays_last(const typename Clock::ticks *starts, int count, typename Clock::ticks span) {
    using ticks = typename Clock::ticks;
    for (int k = 0; k < count; k += 1) {
        sleeper<Clock> one;
        one.span = span;
        Clock::time = starts[k];
        one.resume();
        Clock::time = static_cast<ticks>(starts[k] + span - 1);
        one.resume();
        CHECK(one.woken == 0);
        Clock::time = static_cast<ticks>(starts[k] + span);
        one.resume();
        CHECK(one.woken == 1);
    }
}

void delays_last_across_the_wrap_of_the_clock() {
    const uint16_t starts[] = {0, 1, 32767, 32768, 40000, 65000, 65535};
    const uint16_t spans[] = {1, 2, 1000, 32000, 32767};
    for (const uint16_t span : spans) {
        delays_last<milliseconds>(starts, 7, span);
    }
    const uint32_t wide_starts[] = {0, 0x7fffffff, 0x80000000, 0xffffffff};
    delays_last<wide>(wide_starts, 4, 1);
    delays_last<wide>(wide_starts, 4, 0x7fffffff);
    const uint8_t narrow_starts[] = {0, 127, 128, 200, 255};
    delays_last<narrow>(narrow_starts, 5, 127);
}

void a_delay_seen_late_is_over_and_a_long_one_is_cut() {
    sleeper<milliseconds> one;
    one.span = 10;
    milliseconds::time = 65530;
    one.resume();
    milliseconds::time = static_cast<uint16_t>(65530u + 10u + 32767u); // as late as can be told
    one.resume();
    CHECK(one.woken == 1);

    sleeper<milliseconds> other;
    other.span = 40000;
    milliseconds::time = 7;
    other.resume();
    CHECK(other.woken == 0);
    milliseconds::time = 7u + 32766u;
    other.resume();
    CHECK(other.woken == 0);
    milliseconds::time = 7u + 32767u;
    other.resume();
    CHECK(other.woken == 1);

    sleeper<milliseconds> none;
    none.resume();
    CHECK(none.woken == 1); // a span of zero does not pause
}

template <class Count> // in a template, where the macros' names depend on its parameters
class self_suspending : public ply::coroutine<self_suspending<Count>> {
public:
    Count turns = 0;
    PLY_BODY() {
        PLY_LOOP() {
            turns += 1;
            PLY_SUSPEND();
        }
        PLY_END();
    }
};

void a_suspended_coroutine_does_nothing_until_woken() {
    self_suspending<int> one;
    one.resume();
    CHECK(one.turns == 1 && one.state() == ply::state::suspended);
    one.resume();
    one.resume_any();
    CHECK(one.turns == 1);
    one.wake();
    one.resume_any();
    CHECK(one.turns == 2);
    one.wake();
    one.suspend(); // from outside
    one.resume();
    CHECK(one.turns == 2);
}

class leaver : public ply::coroutine<leaver> {
public:
    int count = 0;
    PLY_BODY() {
        PLY_LOOP() {
            for (;;) {
                count += 1;
                if (count == 3) {
                    PLY_EXIT();
                }
                PLY_YIELD();
            }
        }
        PLY_END();
    }
};

void exit_ends_from_within_loops() {
    leaver one;
    one.resume();
    one.resume();
    CHECK(one.state() == ply::state::active);
    one.resume();
    CHECK(one.count == 3 && one.state() == ply::state::ended);
    one.resume();
    CHECK(one.count == 3);
}

class self_ending : public ply::coroutine<self_ending> {
public:
    int count = 0;
    PLY_BODY() {
        PLY_LOOP() {
            count += 1;
            end();
            PLY_YIELD();
        }
        PLY_END();
    }
};

void end_from_its_own_body_takes_effect_with_the_pause() {
    self_ending one;
    one.resume();
    one.resume();
    CHECK(one.count == 1 && one.state() == ply::state::ended);
    one.restart();
    one.resume();
    CHECK(one.count == 2);
}

// A switch around a yield: fine with labels as values; the switch form cannot tell its cases from the user's.
class switching : public ply::coroutine<switching> {
public:
    int chosen = 0;
    int seen = 0;
    PLY_BODY() {
        PLY_LOOP() {
            switch (chosen) {
            case 0:
                seen = 10;
                PLY_YIELD();
                seen = 11;
                PLY_YIELD();
                break;
            default:
                seen = 20;
                PLY_YIELD();
                break;
            }
            chosen += 1;
        }
        PLY_END();
    }
};

void switch_statements_around_yields() {
    switching one;
    one.resume();
    CHECK(one.seen == 10);
    one.resume();
#if defined(PLY_USE_SWITCH)
    CHECK(one.seen == 10 && lost == 1); // stopped, instead of running on somewhere
#else
    CHECK(one.seen == 11);
    one.resume();
    CHECK(one.seen == 20 && one.chosen == 1 && lost == 0);
    one.resume();
    CHECK(one.chosen == 2);
#endif
}

// Locals may be used between two pauses, in a scope of their own.
class scoped : public ply::coroutine<scoped> {
public:
    int sum = 0;
    PLY_BODY() {
        PLY_LOOP() {
            {
                const int doubled = sum * 2;
                sum = doubled + 1;
            }
            PLY_YIELD();
        }
        PLY_END();
    }
};

void locals_between_pauses() {
    scoped one;
    one.resume();
    one.resume();
    one.resume();
    CHECK(one.sum == 7);
}

#if !defined(PLY_USE_SWITCH)
class crowded : public ply::coroutine<crowded> {
public:
    int at = 0;
    // clang-format off
    PLY_BODY() { PLY_BEGIN(); at = 1; PLY_YIELD(); at = 2; PLY_YIELD(); at = 3; PLY_END(); }
    // clang-format on
};

void two_pauses_on_one_line() {
    crowded one;
    one.resume();
    one.resume();
    CHECK(one.at == 2);
    one.resume();
    CHECK(one.at == 3);
}
#endif

int short_turns = 0;
PLY_COROUTINE(short_one, milliseconds) {
    PLY_LOOP() {
        short_turns += 1;
        PLY_DELAY(5);
    }
    PLY_END();
}

void a_coroutine_in_one_piece() {
    milliseconds::time = 0;
    short_one.resume();
    short_one.resume();
    CHECK(short_turns == 1);
    milliseconds::time = 5;
    short_one.resume();
    CHECK(short_turns == 2);
}

// Members of a user with names that the macros might have used.
class homonym : public ply::coroutine<homonym, milliseconds> {
public:
    int reached = 0, set = 0, finish = 0, next = 0, point = 0, resume_point = 0;
    void suspend(int) {}
    PLY_BODY() {
        PLY_BEGIN();
        PLY_SUSPEND();
        PLY_DELAY(0);
        PLY_END();
    }
};

void names_of_the_user_do_not_disturb() {
    homonym one;
    one.resume();
    one.wake();
    one.resume();
    CHECK(one.state() == ply::state::ended);
}

} // namespace

int main() {
    a_body_goes_on_where_it_yielded_and_ends();
    an_ended_coroutine_stays_ended_until_restarted();
    two_of_one_class_have_their_own_places_and_members();
    await_looks_once_a_resume_and_goes_on_at_once();
    delays_last_across_the_wrap_of_the_clock();
    a_delay_seen_late_is_over_and_a_long_one_is_cut();
    a_suspended_coroutine_does_nothing_until_woken();
    exit_ends_from_within_loops();
    end_from_its_own_body_takes_effect_with_the_pause();
    switch_statements_around_yields();
    locals_between_pauses();
#if !defined(PLY_USE_SWITCH)
    two_pauses_on_one_line();
#endif
    a_coroutine_in_one_piece();
    names_of_the_user_do_not_disturb();
    puts("coroutine: all passed");
}
