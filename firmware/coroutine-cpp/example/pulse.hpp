// The example, apart from its clock and its output: three coroutines, one of them in one piece.
#ifndef PULSE_HPP
#define PULSE_HPP

#include "../ply/ply.hpp"

/// Sends 1, 2, 3 … with `period` ticks between.
template <class Clock>
class pulse : public ply::coroutine<pulse<Clock>, Clock> {
public:
    pulse(ply::channel<uint8_t> &out, typename Clock::ticks period) : out_(out), period_{period} {}
    PLY_BODY() {
        PLY_LOOP() {
            PLY_DELAY(period_);
            number_ = static_cast<uint8_t>(number_ + 1);
            PLY_SEND(out_, number_);
        }
        PLY_END();
    }

private:
    ply::channel<uint8_t> &out_;
    typename Clock::ticks period_;
    uint8_t number_ = 0;
};

/// Prints what comes, and ends itself and the rest after the fifth.
template <class Sink>
class listener : public ply::coroutine<listener<Sink>> {
public:
    listener(ply::channel<uint8_t> &in, Sink &sink, ply::node &first, ply::node &second)
        : in_(in), sink_(sink), first_(first), second_(second) {}
    PLY_BODY() {
        PLY_BEGIN();
        while (number_ != 5) {
            PLY_RECEIVE(in_, number_);
            sink_.print("pulse ");
            sink_.print(static_cast<char>('0' + number_));
            sink_.print('\n');
        }
        first_.end();
        second_.end();
        PLY_END();
    }

private:
    ply::channel<uint8_t> &in_;
    Sink &sink_;
    ply::node &first_;
    ply::node &second_;
    uint8_t number_ = 0;
};

/// Runs the three until the last has ended. `blinker` is whatever else should have its turns.
template <class Clock, class Sink>
void run_example(Sink &sink, ply::node &blinker) {
    ply::channel<uint8_t> numbers;
    pulse<Clock> pulses{numbers, 200};
    listener<Sink> listens{numbers, sink, pulses, blinker};
    ply::scheduler scheduler;
    scheduler.add(pulses);
    scheduler.add(listens);
    scheduler.add(blinker);
    scheduler.run();
    sink.print("done\n");
}

#endif
