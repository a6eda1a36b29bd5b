// Compiled, not run: each array is as long as the object it names, and `make sizes`, `avr` and `arm` print the symbols.
#include "../ply/ply.hpp"
#include "../ply/render.hpp"

namespace {
struct clock16 {
    using ticks = uint16_t;
    static ticks now();
};
struct clock32 {
    using ticks = uint32_t;
    static ticks now();
};
template <class Clock, class Profiling>
class empty : public ply::coroutine<empty<Clock, Profiling>, Clock, Profiling> {
public:
    void body() {}
};
} // namespace

#define SIZE_OF(name, ...) extern "C" { char sizeof_##name[sizeof(__VA_ARGS__)]; }
SIZE_OF(coroutine, empty<ply::no_clock, ply::unprofiled>)
SIZE_OF(coroutine_with_16_bit_clock, empty<clock16, ply::unprofiled>)
SIZE_OF(coroutine_with_32_bit_clock, empty<clock32, ply::unprofiled>)
SIZE_OF(coroutine_profiled, empty<ply::no_clock, ply::profiled<clock32>>)
SIZE_OF(coroutine_with_16_bit_clock_profiled, empty<clock16, ply::profiled<clock32>>)
SIZE_OF(channel_of_uint8_t, ply::channel<uint8_t>)
SIZE_OF(channel_of_uint16_t, ply::channel<uint16_t>)
SIZE_OF(channel_of_uint32_t, ply::channel<uint32_t>)
SIZE_OF(scheduler, ply::scheduler)
SIZE_OF(histogram, ply::histogram)
SIZE_OF(profiler, ply::profiler)
SIZE_OF(profiler_list, ply::profiler_list)
