// Where coroutine frames live: slots of one size in static memory. The compiler alone knows how large a frame is, so the
// pool refuses what does not fit, and `task` turns a refusal into an empty task that `scheduler::spawn` reports.
#ifndef CORO_FRAME_POOL_HPP
#define CORO_FRAME_POOL_HPP

#include <cstddef>

namespace coro {

/// `Slots` frames of at most `Bytes` bytes each. Not for interrupt handlers: tasks begin and end in thread mode.
template <std::size_t Slots, std::size_t Bytes> class frame_pool {
public:
    /// A slot for `bytes` bytes, aligned for every type; null when all are taken or the frame is too large.
    void *take(std::size_t bytes) noexcept {
        if (bytes > Bytes) {
            return nullptr;
        }
        for (slot &one : slots_) {
            if (!one.taken) {
                one.taken = true;
                return one.frame;
            }
        }
        return nullptr;
    }

    /// Takes a slot back; `frame` came from `take`.
    void give_back(void *frame) noexcept {
        for (slot &one : slots_) {
            if (one.frame == frame) {
                one.taken = false;
            }
        }
    }

    /// Slots that are taken.
    std::size_t used() const noexcept {
        std::size_t count = 0;
        for (const slot &one : slots_) {
            count += one.taken ? 1 : 0;
        }
        return count;
    }

private:
    struct slot {
        alignas(std::max_align_t) std::byte frame[Bytes];
        bool taken;
    };

    slot slots_[Slots]{};
};

} // namespace coro

#endif
