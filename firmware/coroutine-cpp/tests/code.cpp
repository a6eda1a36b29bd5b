// Compiled, not run: one function for each thing whose code `make avr` and `make arm` measure.
#include "../ply/ply.hpp"
#include "../ply/render.hpp"

struct clock16 {
    using ticks = uint16_t;
    static ticks now();
};

struct print_sink {
    void print(char);
    void print(const char *);
    void print(unsigned long);
};

class yields : public ply::coroutine<yields, clock16> {
public:
    volatile uint32_t *counter = nullptr;
    PLY_BODY() {
        PLY_LOOP() {
            *counter = *counter + 1;
            PLY_YIELD();
        }
        PLY_END();
    }
};

class measured : public ply::coroutine<measured, clock16, ply::profiled<clock16>> {
public:
    volatile uint32_t *counter = nullptr;
    PLY_BODY() {
        PLY_LOOP() {
            *counter = *counter + 1;
            PLY_YIELD();
        }
        PLY_END();
    }
};

class delays : public ply::coroutine<delays, clock16> {
public:
    PLY_BODY() {
        PLY_LOOP() {
            PLY_DELAY(1000);
        }
        PLY_END();
    }
};

class talks : public ply::coroutine<talks> {
public:
    ply::channel<uint16_t> *in = nullptr;
    ply::channel<uint16_t> *out = nullptr;
    uint16_t value = 0;
    PLY_BODY() {
        PLY_LOOP() {
            PLY_RECEIVE(*in, value);
            PLY_SEND(*out, value);
            PLY_POST(*out, value);
        }
        PLY_END();
    }
};

// Initialised without code to run at start-up.
yields one;
measured other;
delays late;
talks between;
ply::scheduler scheduler;
ply::profiler profile{"other"};
ply::profiler_list profiles;

void resume_directly() { one.resume(); }
void resume_measured() { other.resume(); }
void step() { scheduler.step(); }
bool add() { return scheduler.add(one); }
void table(print_sink &sink) { ply::render_table(sink, profiles); }
void json(print_sink &sink) { ply::render_json(sink, profiles); }
