// Round robin over coroutines, linked through themselves: no heap, no fixed number.
#ifndef PLY_SCHEDULER_HPP
#define PLY_SCHEDULER_HPP

#include "coroutine.hpp"

namespace ply {

/// Resumes coroutines in the order in which they were added. Interrupt handlers may `wake` and `suspend` coroutines;
/// the list itself changes only outside them.
class scheduler {
public:
    constexpr scheduler() = default;
    scheduler(const scheduler &) = delete;
    scheduler &operator=(const scheduler &) = delete;

    /// Puts a coroutine at the end of the round. False, and nothing changes, if it is in the round. One that had ended
    /// is dropped at once; `restart` it first. It may be in one scheduler at a time.
    bool add(node &added) {
        node **link = &first_;
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

    /// Takes a coroutine out of the round, for example before it is destroyed; coroutines may take themselves out.
    /// False if it is not in the round.
    bool remove(node &removed) {
        for (node **link = &first_; *link != nullptr; link = &(*link)->next_) {
            if (*link == &removed) {
                *link = removed.next_;
                if (at_ == &removed.next_) {
                    at_ = link; // what comes next is the same, linked from elsewhere
                }
                return true;
            }
        }
        return false;
    }

    /// Whether no coroutine is left.
    bool empty() const { return first_ == nullptr; }

    /// Comes to the next coroutine: resumes it if it is active, drops it if it has ended, passes it over otherwise.
    void step() {
        node *here = *at_;
        if (here == nullptr) {
            at_ = &first_;
            here = first_;
            if (here == nullptr) {
                return;
            }
        }
        if (here->state_ == state::active) {
            here->enter_(*here);
        }
        if (*at_ != here) {
            return; // it took itself out
        }
        if (here->state_ == state::ended) {
            *at_ = here->next_;
        } else {
            at_ = &here->next_;
        }
    }

    /// Steps until no coroutine is left. Suspended ones are left: it then waits for somebody to wake them.
    void run() {
        while (first_ != nullptr) {
            step();
        }
    }

private:
    node *first_ = nullptr;
    node **at_ = &first_; ///< the link to the coroutine whose turn is next
};

} // namespace ply

#endif
