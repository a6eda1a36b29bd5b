// Coroutines as objects: a member function that returns in its middle and goes on there when it is called again.
//
//     class blinker : public ply::coroutine<blinker, milliseconds> {
//     public:
//         PLY_BODY() {
//             PLY_LOOP() {
//                 toggle_led();
//                 PLY_DELAY(500);
//             }
//             PLY_END();
//         }
//     };
//
// There is no stack to keep: what must survive a pause is a member of the object. Local variables do not survive, and
// none may be initialised in a scope that a pause interrupts.
#ifndef PLY_COROUTINE_HPP
#define PLY_COROUTINE_HPP

#include <stdint.h>

#include "clock.hpp"
#include "resume_point.hpp"

namespace ply {

/// What a scheduler may do with a coroutine.
enum class state : uint8_t {
    active,    ///< resume it in its turn
    suspended, ///< pass it over until `wake`
    ended,     ///< drop it
};

class scheduler;

/// What all coroutines have in common, and what a scheduler links. It must stay where it is while it is linked.
class node {
public:
    node(const node &) = delete;
    node &operator=(const node &) = delete;

    /// Where it stands. Interrupt handlers may look.
    ply::state state() const { return state_; }

    /// Passes an active coroutine over from its next pause on. Does nothing to an ended one.
    void suspend() {
        if (state_ == ply::state::active) {
            state_ = ply::state::suspended;
        }
    }

    /// Makes a suspended coroutine active. One byte is written: interrupt handlers may call this. Does nothing to an
    /// ended one.
    void wake() {
        if (state_ == ply::state::suspended) {
            state_ = ply::state::active;
        }
    }

    /// Ends it where it stands. Called from its own body it takes effect with the next pause.
    void end() { state_ = ply::state::ended; }

    /// Lets it run from the start, whatever its state. Its members keep their values. Not from its own body, whose next
    /// pause would put the old place back. A scheduler that had dropped it must be given it again.
    void restart() {
        ply_point_ = from_the_start;
        state_ = ply::state::active;
    }

    /// Runs it to its next pause if it is active. The call goes through a pointer; `coroutine::resume` has one less.
    void resume_any() {
        if (state_ == ply::state::active) {
            enter_(*this);
        }
    }

protected:
    using entry = void (*)(node &);

    explicit constexpr node(entry enter) : enter_{enter} {}

    /// The end of a body: a coroutine that is restarted begins anew.
    void ply_finish_() {
        ply_point_ = from_the_start;
        state_ = ply::state::ended;
    }

    resume_point ply_point_ = from_the_start;

private:
    friend class scheduler;

    node *next_ = nullptr; ///< behind this one in its scheduler's round
    entry enter_;
    volatile ply::state state_ = ply::state::active;
};

/// Coroutines that nobody measures: nothing is kept and nothing is done.
class unprofiled {
protected:
    template <class Coroutine>
    static void measure(Coroutine &measured) {
        measured.body();
    }
};

/// The base of a coroutine. `Derived` is the class that has the PLY_BODY, `Clock` what PLY_DELAY counts on, and
/// `Profiling` either `unprofiled` or `profiled<Clock>` of profiler.hpp.
template <class Derived, class Clock = no_clock, class Profiling = unprofiled>
class coroutine : public node, public Profiling, private deadline<Clock> {
public:
    constexpr coroutine() : node{&enter} {}

    /// Runs it to its next pause if it is active, and does nothing otherwise.
    void resume() {
        if (state() == ply::state::active) {
            Profiling::measure(static_cast<Derived &>(*this));
        }
    }

protected:
    // For PLY_DELAY; without a clock they do not compile, but only if they are used.
    void ply_delay_(typename Clock::ticks span) { this->deadline<Clock>::set(span); }
    bool ply_delay_over_() const { return this->deadline<Clock>::reached(); }

private:
    static void enter(node &entered) {
        coroutine &self = static_cast<coroutine &>(entered);
        self.Profiling::measure(static_cast<Derived &>(self));
    }
};

} // namespace ply

/// Heads the body inside the class, in its public part: `PLY_BODY() { PLY_BEGIN(); … PLY_END(); }`.
#define PLY_BODY() PLY_ONE_COPY_ void body()

/// Opens a body that ends. Nothing but declarations without an initial value may stand before it.
#define PLY_BEGIN() PLY_ENTER_()

/// Opens a body that repeats for ever: `PLY_LOOP() { … } PLY_END();`. Each turn must pause somewhere.
#define PLY_LOOP() \
    PLY_ENTER_();  \
    for (;;)

/// Closes the body. The coroutine ends when control comes here.
#define PLY_END()        \
    PLY_LEAVE_()         \
    this->ply_finish_(); \
    return

/// Ends the coroutine from anywhere in its body.
#define PLY_EXIT()           \
    do {                     \
        this->ply_finish_(); \
        return;              \
    } while (0)

/// Lets the others run once.
#define PLY_YIELD() PLY_PAUSE_AT_(PLY_FIRST_)

/// Goes on when the condition holds, at once if it does already; it is evaluated anew at each resume.
#define PLY_AWAIT(...) PLY_AWAIT_AT_(PLY_FIRST_, __VA_ARGS__)

/// Goes on when `span` ticks of the coroutine's clock have passed; zero goes on at once. See `longest_delay`.
#define PLY_DELAY(span)                                     \
    do {                                                    \
        this->ply_delay_(span);                             \
        PLY_AWAIT_AT_(PLY_FIRST_, this->ply_delay_over_()); \
    } while (0)

/// Pauses until somebody calls `wake`.
#define PLY_SUSPEND()                 \
    do {                              \
        this->::ply::node::suspend(); \
        PLY_PAUSE_AT_(PLY_FIRST_);    \
    } while (0)

/// A coroutine of which there is one: defines the object `name` on `Clock` and heads its body.
/// `PLY_COROUTINE(blinker, milliseconds) { PLY_LOOP() { … } PLY_END(); }`. Its variables are static.
#define PLY_COROUTINE(name, Clock)                                              \
    class name##_coroutine : public ::ply::coroutine<name##_coroutine, Clock> { \
    public:                                                                     \
        PLY_BODY();                                                             \
    } name;                                                                     \
    void name##_coroutine::body()

#endif
