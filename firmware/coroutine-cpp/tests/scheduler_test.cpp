// The round robin: its order, and what may change while it runs.
#include "check.hpp"

#include "../ply/ply.hpp"

namespace {

using milliseconds = hand_clock<uint16_t>;

trace order;

class letter : public ply::coroutine<letter, milliseconds> {
public:
    letter(char name, int turns) : name_{name}, turns_{turns} {}
    PLY_BODY() {
        PLY_BEGIN();
        while (turns_ > 0) {
            turns_ -= 1;
            order.note(name_);
            PLY_YIELD();
        }
        PLY_END();
    }

private:
    char name_;
    int turns_;
};

/// Runs something once, then yields for ever.
class meddler : public ply::coroutine<meddler> {
public:
    meddler(char name, void (*act)()) : name_{name}, act_{act} {}
    PLY_BODY() {
        PLY_BEGIN();
        act_();
        for (;;) {
            order.note(name_);
            PLY_YIELD();
        }
        PLY_END();
    }

private:
    char name_;
    void (*act_)();
};

void steps(ply::scheduler &scheduler, int count) {
    order = trace{};
    for (int k = 0; k < count; k += 1) {
        scheduler.step();
    }
}

void turns_are_taken_in_order_and_the_ended_drop_out() {
    ply::scheduler scheduler;
    letter a{'a', 2}, b{'b', 4}, c{'c', 1};
    CHECK(scheduler.empty());
    CHECK(scheduler.add(a) && scheduler.add(b) && scheduler.add(c));
    order = trace{};
    scheduler.run();
    CHECK_TEXT(order.text, "abcabbb");
    CHECK(scheduler.empty());
    CHECK(a.state() == ply::state::ended && b.state() == ply::state::ended && c.state() == ply::state::ended);
    scheduler.step(); // nothing to do, and no harm
}

void the_ended_come_back_when_restarted_and_added() {
    ply::scheduler scheduler;
    class twice : public ply::coroutine<twice> {
    public:
        PLY_BODY() {
            PLY_BEGIN();
            order.note('1');
            PLY_YIELD();
            order.note('2');
            PLY_END();
        }
    } one;
    order = trace{};
    scheduler.add(one);
    scheduler.run();
    scheduler.add(one); // still ended: dropped without a resume
    scheduler.run();
    CHECK_TEXT(order.text, "12");
    one.restart();
    CHECK(scheduler.add(one));
    scheduler.run();
    CHECK_TEXT(order.text, "1212");
}

void the_suspended_are_passed_over_and_keep_their_place() {
    ply::scheduler scheduler;
    letter a{'a', 99}, b{'b', 99}, c{'c', 99};
    scheduler.add(a);
    scheduler.add(b);
    scheduler.add(c);
    steps(scheduler, 4);
    CHECK_TEXT(order.text, "abca");
    b.suspend();
    steps(scheduler, 5);
    CHECK_TEXT(order.text, "cac"); // b's turns come and pass
    b.wake();
    steps(scheduler, 3);
    CHECK_TEXT(order.text, "abc");
    b.end();
    steps(scheduler, 5);
    CHECK_TEXT(order.text, "acac"); // b's turn dropped it
    CHECK(!scheduler.remove(b));
    scheduler.add(b);
    CHECK(scheduler.remove(b));
}

void nothing_is_linked_twice() {
    ply::scheduler scheduler;
    letter a{'a', 99}, b{'b', 99};
    CHECK(scheduler.add(a) && scheduler.add(b));
    CHECK(!scheduler.add(a) && !scheduler.add(b));
    steps(scheduler, 4);
    CHECK_TEXT(order.text, "abab");
}

ply::scheduler shared;
void nothing() {}
meddler d{'d', nothing}, f{'f', nothing};
letter g{'g', 99};
meddler *e = nullptr; ///< the one that changes the round, between d and f

void remove_d() { CHECK(shared.remove(d)); }
void remove_e() { CHECK(shared.remove(*e)); }
void remove_f() { CHECK(shared.remove(f)); }
void remove_d_and_e() {
    remove_d();
    remove_e();
}
void remove_all() {
    remove_f();
    remove_d();
    remove_e();
}
void move_e_behind_f() {
    remove_e();
    CHECK(shared.add(*e));
}
void add_g() { CHECK(shared.add(g)); }

void nine_steps(void (*act)(), const char *expected) {
    meddler middle{'e', act};
    e = &middle;
    shared.add(d);
    shared.add(middle);
    shared.add(f);
    steps(shared, 9);
    CHECK_TEXT(order.text, expected);
    shared.remove(d);
    shared.remove(middle);
    shared.remove(f);
    shared.remove(g);
    CHECK(shared.empty());
}

void coroutines_may_change_the_round_in_their_turn() {
    nine_steps(nothing, "defdefdef");
    nine_steps(remove_d, "defefefef");
    nine_steps(remove_e, "defdfdfdf");
    nine_steps(remove_f, "dedededed");
    nine_steps(remove_d_and_e, "defffffff");
    nine_steps(remove_all, "de");
    nine_steps(move_e_behind_f, "defedfedf");
    nine_steps(add_g, "defgdefgd");
}

void removal_keeps_the_turn_of_the_others() {
    ply::scheduler scheduler;
    letter a{'a', 99}, b{'b', 99}, c{'c', 99};
    scheduler.add(a);
    scheduler.add(b);
    scheduler.add(c);
    steps(scheduler, 1);
    scheduler.remove(b); // whose turn was next
    steps(scheduler, 2);
    CHECK_TEXT(order.text, "ca");
    scheduler.remove(a); // whose turn just was
    steps(scheduler, 2);
    CHECK_TEXT(order.text, "cc");
    scheduler.remove(c);
    CHECK(scheduler.empty());
    scheduler.step();
    scheduler.add(b);
    steps(scheduler, 2);
    CHECK_TEXT(order.text, "bb");
}

class ticker : public ply::coroutine<ticker, milliseconds> {
public:
    ticker(char name, uint16_t period) : name_{name}, period_{period} {}
    PLY_BODY() {
        PLY_LOOP() {
            order.note(name_);
            PLY_DELAY(period_);
        }
        PLY_END();
    }

private:
    char name_;
    uint16_t period_;
};

void delays_interleave_across_the_wrap() {
    ply::scheduler scheduler;
    ticker x{'x', 2}, y{'y', 3};
    scheduler.add(x);
    scheduler.add(y);
    order = trace{};
    milliseconds::time = 65533;
    for (int tick = 0; tick < 7; tick += 1) {
        scheduler.step();
        scheduler.step();
        order.note('.');
        milliseconds::time = static_cast<uint16_t>(milliseconds::time + 1);
    }
    CHECK_TEXT(order.text, "xy..x.y.x..xy.");
}

} // namespace

int main() {
    turns_are_taken_in_order_and_the_ended_drop_out();
    the_ended_come_back_when_restarted_and_added();
    the_suspended_are_passed_over_and_keep_their_place();
    nothing_is_linked_twice();
    coroutines_may_change_the_round_in_their_turn();
    removal_keeps_the_turn_of_the_others();
    delays_interleave_across_the_wrap();
    puts("scheduler: all passed");
}
