// Cooperative tasks as C++20 coroutines, and the scheduler that resumes them in turn.
//
// A task that waits to run is linked into the ready queue through its own promise, so that queueing never allocates and
// cannot fail. `co_await scheduler.yield()` appends the task and returns to the scheduler's loop, which resumes the one
// that has waited longest. Interrupt handlers may make suspended tasks ready; hence the critical sections.
#ifndef CORO_SCHEDULER_HPP
#define CORO_SCHEDULER_HPP

#include <coroutine>
#include <cstddef>

#include "frame_pool.hpp"
#include "port.hpp"

namespace coro {

/// Tasks at once, and bytes that the largest frame may have; a program with smaller frames says so before it includes this.
inline constexpr std::size_t max_tasks = 2;
#if !defined(CORO_MAX_FRAME_BYTES)
#define CORO_MAX_FRAME_BYTES 160
#endif
inline constexpr std::size_t max_frame_bytes = CORO_MAX_FRAME_BYTES;

/// Every frame of the program.
inline constinit frame_pool<max_tasks, max_frame_bytes> frames;

/// What a coroutine that the scheduler can run returns. It does nothing until spawned; a task that is never spawned
/// gives its frame back.
class [[nodiscard]] task {
public:
    struct promise_type;
    using handle = std::coroutine_handle<promise_type>;

    struct promise_type {
        promise_type *next = nullptr; ///< behind this one in the ready queue

        static void *operator new(std::size_t bytes) noexcept { return frames.take(bytes); }
        static void operator delete(void *frame) noexcept { frames.give_back(frame); }

        static task get_return_object_on_allocation_failure() noexcept { return task{}; }
        task get_return_object() noexcept { return task{handle::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; } ///< the frame goes back by itself
        void return_void() noexcept {}
        void unhandled_exception() noexcept {} ///< never: built without exceptions
    };

    task(task &&other) noexcept : handle_{other.release()} {}
    task(const task &) = delete;
    task &operator=(const task &) = delete;
    ~task() {
        if (handle_) {
            handle_.destroy();
        }
    }

    /// Gives the frame out of hand; null when the pool had none for it.
    handle release() noexcept {
        handle released = handle_;
        handle_ = nullptr;
        return released;
    }

private:
    task() noexcept = default;
    explicit task(handle started) noexcept : handle_{started} {}

    handle handle_{};
};

/// Round robin over the tasks that are ready.
class scheduler {
public:
    /// Makes a new task ready. False when the pool had no frame for it.
    [[nodiscard]] bool spawn(task &&fresh) noexcept {
        task::handle started = fresh.release();
        if (!started) {
            return false;
        }
        make_ready(started.promise());
        return true;
    }

    /// Appends a suspended task to the ready queue. It must not be in it already. Interrupt handlers may call this.
    void make_ready(task::promise_type &suspended) noexcept {
        critical_section masked;
        suspended.next = nullptr;
        *tail() = &suspended;
        last_ = &suspended;
    }

    /// What `co_await` takes to let the others run first.
    struct yield_awaiter {
        scheduler &runs_on;

        bool await_ready() const noexcept { return false; }
        void await_suspend(task::handle suspended) const noexcept { runs_on.make_ready(suspended.promise()); }
        void await_resume() const noexcept {}
    };

    [[nodiscard]] yield_awaiter yield() noexcept { return {*this}; }

    /// Resumes tasks until one of them has called `stop`; sleeps while none is ready.
    void run() noexcept {
        running_ = true;
        while (running_) {
            if (task::promise_type *first = take_first()) {
                task::handle::from_promise(*first).resume();
            }
        }
    }

    /// Ends `run` when the task that calls this suspends or returns.
    void stop() noexcept { running_ = false; }

private:
    task::promise_type **tail() noexcept { return first_ == nullptr ? &first_ : &last_->next; }

    task::promise_type *take_first() noexcept {
        critical_section masked;
        task::promise_type *first = first_;
        if (first != nullptr) {
            first_ = first->next;
        } else {
            wait_for_interrupt();
        }
        return first;
    }

    task::promise_type *first_ = nullptr;
    task::promise_type *last_ = nullptr; ///< valid while `first_` is not null
    bool running_ = false;
};

} // namespace coro

#endif
