// How long the resumes of a coroutine take: one histogram each, in powers of two.
#ifndef PLY_PROFILER_HPP
#define PLY_PROFILER_HPP

#include <stdint.h>

#include "clock.hpp"

namespace ply {

/// Counts of durations by the position of their highest bit: bucket k holds 2^k and more, below 2^(k+1), and bucket 0
/// also 0. Counts stop at 65,535.
class histogram {
public:
    static constexpr uint8_t buckets = 32;
    static constexpr uint16_t most = 65535;

    constexpr histogram() = default;

    /// The bucket of a duration.
    static uint8_t bucket_of(uint32_t duration) {
        uint8_t bucket = 0;
        if (duration >> 16 != 0) {
            bucket = 16;
            duration >>= 16;
        }
        uint16_t rest = static_cast<uint16_t>(duration);
        if (rest >> 8 != 0) {
            bucket = static_cast<uint8_t>(bucket + 8);
            rest = static_cast<uint16_t>(rest >> 8);
        }
        for (uint8_t byte = static_cast<uint8_t>(rest); byte > 1; byte = static_cast<uint8_t>(byte >> 1)) {
            bucket = static_cast<uint8_t>(bucket + 1);
        }
        return bucket;
    }

    /// Counts one duration, in ticks.
    void count(uint32_t duration) {
        uint16_t &counted = counts_[bucket_of(duration)];
        if (counted != most) {
            counted = static_cast<uint16_t>(counted + 1);
        }
    }

    /// What bucket `bucket` below 32 holds; `most` may stand for more.
    uint16_t operator[](uint8_t bucket) const { return counts_[bucket]; }

    /// The sum of the buckets `first` to `last`.
    uint32_t sum(uint8_t first = 0, uint8_t last = buckets - 1) const {
        uint32_t total = 0;
        for (uint8_t bucket = first; bucket <= last; bucket = static_cast<uint8_t>(bucket + 1)) {
            total += counts_[bucket];
        }
        return total;
    }

    /// Whether a bucket from `first` to `last` has stopped counting.
    bool saturated(uint8_t first = 0, uint8_t last = buckets - 1) const {
        for (uint8_t bucket = first; bucket <= last; bucket = static_cast<uint8_t>(bucket + 1)) {
            if (counts_[bucket] == most) {
                return true;
            }
        }
        return false;
    }

    /// Forgets everything.
    void clear() {
        for (uint16_t &count : counts_) {
            count = 0;
        }
    }

private:
    uint16_t counts_[buckets] = {};
};

/// One coroutine's histogram under a name, which must outlive it.
class profiler {
public:
    explicit constexpr profiler(const char *name) : name_{name} {}
    profiler(const profiler &) = delete;
    profiler &operator=(const profiler &) = delete;

    const char *name() const { return name_; }
    const profiler *next() const { return next_; } ///< the one behind this in its list, or null

    histogram times;

private:
    friend class profiler_list;

    const char *name_;
    profiler *next_ = nullptr;
};

/// The profilers that are rendered together, in the order in which they were added.
class profiler_list {
public:
    constexpr profiler_list() = default;
    profiler_list(const profiler_list &) = delete;
    profiler_list &operator=(const profiler_list &) = delete;

    /// False, and nothing changes, if it is in the list.
    bool add(profiler &added) {
        profiler **link = &first_;
        while (*link != nullptr) {
            if (*link == &added) {
                return false;
            }
            link = &(*link)->next_;
        }
        added.next_ = nullptr;
        *link = &added;
        return true;
    }

    const profiler *first() const { return first_; }

    /// Clears all histograms.
    void clear() {
        for (profiler *each = first_; each != nullptr; each = each->next_) {
            each->times.clear();
        }
    }

private:
    profiler *first_ = nullptr;
};

/// What a coroutine takes as its third parameter to be measured on `Clock` at each resume. A resume longer than the
/// clock's range counts as what remains of it.
template <class Clock>
class profiled {
public:
    /// Counts into `into` from now on; null stops it.
    void profile(profiler *into) { into_ = into; }

protected:
    constexpr profiled() = default;

    template <class Coroutine>
    void measure(Coroutine &measured) {
        const typename Clock::ticks since = Clock::now();
        measured.body();
        const typename Clock::ticks until = Clock::now();
        if (into_ != nullptr) {
            into_->times.count(elapsed<typename Clock::ticks>(since, until));
        }
    }

private:
    profiler *into_ = nullptr;
};

} // namespace ply

#endif
