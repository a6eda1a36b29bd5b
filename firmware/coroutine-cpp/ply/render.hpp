// What profilers counted, as a table for people and as JSON for programs.
//
// A sink is anything with print(const char *), print(char) and print(unsigned long), as Arduino's Print has them.
#ifndef PLY_RENDER_HPP
#define PLY_RENDER_HPP

#include <stdint.h>

#include "profiler.hpp"

namespace ply {
namespace detail {

constexpr uint8_t name_width = 12;
constexpr uint8_t column_width = 8;

template <class Sink>
void pad(Sink &sink, uint8_t used, uint8_t width) {
    for (; used < width; used = static_cast<uint8_t>(used + 1)) {
        sink.print(' ');
    }
}

inline uint8_t digits(uint32_t number) {
    uint8_t count = 1;
    for (; number >= 10; number /= 10) {
        count = static_cast<uint8_t>(count + 1);
    }
    return count;
}

/// A count, flush right; with a plus behind it where a bucket stopped counting.
template <class Sink>
void cell(Sink &sink, uint32_t count, bool saturated) {
    pad(sink, static_cast<uint8_t>(digits(count) + (saturated ? 1 : 0)), column_width);
    sink.print(static_cast<unsigned long>(count));
    if (saturated) {
        sink.print('+');
    }
}

/// The head of a column: a sign and 2^exponent, with k, M and G for 2^10, 2^20 and 2^30.
template <class Sink>
void bound(Sink &sink, const char *sign, uint8_t sign_width, uint8_t exponent) {
    const uint8_t thousands = static_cast<uint8_t>(exponent / 10);
    const uint16_t mantissa = static_cast<uint16_t>(1u << (exponent % 10));
    pad(sink, static_cast<uint8_t>(sign_width + digits(mantissa) + (thousands != 0 ? 1 : 0)), column_width);
    sink.print(sign);
    sink.print(static_cast<unsigned long>(mantissa));
    if (thousands != 0) {
        sink.print(thousands == 1 ? 'k' : thousands == 2 ? 'M' : 'G');
    }
}

template <class Sink>
void quoted(Sink &sink, const char *text) {
    const char *const hex = "0123456789abcdef";
    sink.print('"');
    for (; *text != '\0'; text += 1) {
        const uint8_t character = static_cast<uint8_t>(*text);
        if (character < 0x20) {
            sink.print("\\u00");
            sink.print(hex[character >> 4]);
            sink.print(hex[character & 15]);
        } else {
            if (character == '"' || character == '\\') {
                sink.print('\\');
            }
            sink.print(*text);
        }
    }
    sink.print('"');
}

} // namespace detail

/// Writes a line for each profiler: its name, how many resumes it counted, and how many took less than the time above
/// the column but no less than that of the column before. `first` and `last` below 32 choose buckets: the first column
/// has all that is shorter too, the last all that is longer. Times are in ticks of the profiling clock.
template <class Sink>
void render_table(Sink &sink, const profiler_list &profilers, uint8_t first = 0, uint8_t last = 15) {
    last = last < histogram::buckets ? last : static_cast<uint8_t>(histogram::buckets - 1);
    first = first < last ? first : last;
    sink.print("name");
    detail::pad(sink, 4, detail::name_width);
    detail::pad(sink, 7, detail::column_width);
    sink.print("resumes");
    for (uint8_t bucket = first; bucket < last; bucket = static_cast<uint8_t>(bucket + 1)) {
        detail::bound(sink, "<", 1, static_cast<uint8_t>(bucket + 1));
    }
    detail::bound(sink, ">=", 2, last);
    sink.print('\n');
    for (const profiler *each = profilers.first(); each != nullptr; each = each->next()) {
        uint8_t length = 0;
        while (each->name()[length] != '\0' && length < 255) {
            length = static_cast<uint8_t>(length + 1);
        }
        const histogram &times = each->times;
        sink.print(each->name());
        detail::pad(sink, length, detail::name_width);
        detail::cell(sink, times.sum(), times.saturated());
        for (uint8_t bucket = first; bucket <= last; bucket = static_cast<uint8_t>(bucket + 1)) {
            const uint8_t from = bucket == first ? 0 : bucket;
            const uint8_t to = bucket == last ? static_cast<uint8_t>(histogram::buckets - 1) : bucket;
            detail::cell(sink, times.sum(from, to), times.saturated(from, to));
        }
        sink.print('\n');
    }
}

/// Writes one line: an array with an object for each profiler, which has its name, how many resumes it counted, and the
/// 32 buckets. A bucket of 65535 may stand for more.
template <class Sink>
void render_json(Sink &sink, const profiler_list &profilers) {
    sink.print('[');
    for (const profiler *each = profilers.first(); each != nullptr; each = each->next()) {
        sink.print("{\"name\":");
        detail::quoted(sink, each->name());
        sink.print(",\"resumes\":");
        sink.print(static_cast<unsigned long>(each->times.sum()));
        sink.print(",\"buckets\":[");
        for (uint8_t bucket = 0; bucket < histogram::buckets; bucket = static_cast<uint8_t>(bucket + 1)) {
            if (bucket != 0) {
                sink.print(',');
            }
            sink.print(static_cast<unsigned long>(each->times[bucket]));
        }
        sink.print(each->next() != nullptr ? "]}," : "]}");
    }
    sink.print("]\n");
}

} // namespace ply

#endif
