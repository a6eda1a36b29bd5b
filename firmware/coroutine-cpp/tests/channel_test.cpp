// Channels between two coroutines, and between a coroutine and what stands for an interrupt handler.
#include "check.hpp"

#include "../ply/ply.hpp"

namespace {

struct point {
    int x = 0;
    int y = 0;
};

trace order;

template <class T>
class writer : public ply::coroutine<writer<T>> {
public:
    explicit writer(ply::channel<T> &to) : out(to) {}
    ply::channel<T> &out;
    T value{};
    int computed = 0;
    int sent = 0;
    bool meets = true;
    T compute() {
        computed += 1;
        return value;
    }
    PLY_BODY() {
        PLY_LOOP() {
            order.note('w');
            if (meets) {
                PLY_SEND(out, compute());
            } else {
                PLY_POST(out, compute());
            }
            sent += 1;
        }
        PLY_END();
    }
};

template <class T>
class reader : public ply::coroutine<reader<T>> {
public:
    explicit reader(ply::channel<T> &from) : in(from) {}
    ply::channel<T> &in;
    T value{};
    int received = 0;
    PLY_BODY() {
        PLY_LOOP() {
            PLY_RECEIVE(in, value);
            order.note('r');
            received += 1;
        }
        PLY_END();
    }
};

void offer_and_take_hold_one_value() {
    ply::channel<point> one;
    point into;
    CHECK(!one.full() && !one.take(into));
    CHECK(one.offer(point{}) && one.full());
    point full;
    full.x = 7;
    CHECK(!one.offer(full));
    into.x = 3;
    CHECK(one.take(into) && into.x == 0 && !one.full());
    CHECK(!one.take(into));
    CHECK(one.offer(full) && one.take(into) && into.x == 7);
}

void a_sender_goes_on_when_the_reader_has_the_value() {
    ply::channel<int> between;
    writer<int> from{between};
    reader<int> to{between};
    from.value = 5;
    from.resume();
    from.resume();
    CHECK(between.full() && from.sent == 0 && from.computed == 1);
    to.resume();
    CHECK(to.received == 1 && to.value == 5 && from.sent == 0);
    from.value = 6;
    from.resume();
    CHECK(from.sent == 1 && from.computed == 2 && between.full());
    from.value = 99; // the value was computed already
    to.resume();
    CHECK(to.value == 6 && to.received == 2);
}

void a_poster_goes_on_when_the_value_lies_there() {
    ply::channel<int> between;
    writer<int> from{between};
    reader<int> to{between};
    from.meets = false;
    from.value = 1;
    from.resume();
    CHECK(from.sent == 1 && from.computed == 1); // the second waits for room and is not computed yet
    from.value = 2;
    from.resume();
    CHECK(from.sent == 1 && from.computed == 1);
    to.resume();
    CHECK(to.value == 1 && to.received == 1);
    from.resume();
    CHECK(from.sent == 2);
    to.resume();
    CHECK(to.value == 2);
}

void every_value_arrives_once_and_in_order() {
    for (int meets = 0; meets < 2; meets += 1) {
        ply::channel<long> between;
        writer<long> from{between};
        reader<long> to{between};
        ply::scheduler scheduler;
        scheduler.add(from);
        scheduler.add(to);
        from.meets = meets != 0;
        for (long k = 1; k <= 20; k += 1) {
            order = trace{};
            from.value = k;
            scheduler.step();
            scheduler.step();
            CHECK(to.received == k && to.value == k);
            CHECK_TEXT(order.text, k == 1 && meets == 0 ? "wwr" : "wr");
        }
    }
}

class from_handler : public ply::coroutine<from_handler> {
public:
    ply::channel<point> &in;
    explicit from_handler(ply::channel<point> &from) : in(from) {}
    point last;
    PLY_BODY() {
        PLY_LOOP() {
            PLY_RECEIVE(in, last);
        }
        PLY_END();
    }
};

void a_handler_offers_and_learns_when_there_is_no_room() {
    ply::channel<point> events;
    from_handler one{events};
    point event;
    event.y = 4;
    CHECK(events.offer(event));
    CHECK(!events.offer(event));
    one.resume();
    CHECK(one.last.y == 4 && events.offer(event));
}

} // namespace

int main() {
    offer_and_take_hold_one_value();
    a_sender_goes_on_when_the_reader_has_the_value();
    a_poster_goes_on_when_the_value_lies_there();
    every_value_arrives_once_and_in_order();
    a_handler_offers_and_learns_when_there_is_no_room();
    puts("channel: all passed");
}
