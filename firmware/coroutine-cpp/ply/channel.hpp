// A value on its way from one coroutine to another.
#ifndef PLY_CHANNEL_HPP
#define PLY_CHANNEL_HPP

#include "coroutine.hpp"

#if defined(__GNUC__)
#define PLY_KEEP_ORDER_() __asm__ volatile("" ::: "memory")
#else
#define PLY_KEEP_ORDER_()
#endif

namespace ply {

/// Room for one value between a writer and a reader. `T` has a default constructor and can be copied.
///
/// With PLY_SEND the two meet: the writer goes on when the reader has the value. With PLY_POST the writer goes on when
/// the value lies here. On a single core one side may be an interrupt handler, which uses the functions.
template <class T>
class channel {
public:
    constexpr channel() = default;
    channel(const channel &) = delete;
    channel &operator=(const channel &) = delete;

    /// Whether a value waits for the reader.
    bool full() const { return full_; }

    /// Leaves a value. False, and nothing changes, if one still waits.
    bool offer(const T &value) {
        if (full_) {
            return false;
        }
        value_ = value;
        PLY_KEEP_ORDER_();
        full_ = true;
        return true;
    }

    /// Takes the value that waits into `value`. False, and nothing changes, if there is none.
    bool take(T &value) {
        if (!full_) {
            return false;
        }
        PLY_KEEP_ORDER_();
        value = value_;
        PLY_KEEP_ORDER_();
        full_ = false;
        return true;
    }

private:
    T value_{};
    volatile bool full_ = false;
};

} // namespace ply

/// Hands a value over and goes on when the reader has it. The value is computed once, when the channel is empty.
#define PLY_SEND(channel, ...)                         \
    do {                                               \
        PLY_AWAIT_AT_(PLY_FIRST_, !(channel).full());  \
        (channel).offer(__VA_ARGS__);                  \
        PLY_AWAIT_AT_(PLY_SECOND_, !(channel).full()); \
    } while (0)

/// Leaves a value for the reader and goes on, waiting only while the one before has not been taken.
#define PLY_POST(channel, ...)                        \
    do {                                              \
        PLY_AWAIT_AT_(PLY_FIRST_, !(channel).full()); \
        (channel).offer(__VA_ARGS__);                 \
    } while (0)

/// Waits for a value and stores it in `into`, which names a variable that survives a pause.
#define PLY_RECEIVE(channel, into) PLY_AWAIT_AT_(PLY_FIRST_, (channel).take(into))

#endif
