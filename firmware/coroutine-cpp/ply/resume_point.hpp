// How a body remembers where it left off.
//
// With the labels-as-values extension of GCC and Clang a resume point is the address of a label, and coming back is
// one indirect jump. Elsewhere, or with PLY_USE_SWITCH defined, it is a number made of the source line, and coming
// back is a switch around the whole body. The second form has two limits more: one macro a line, and no macro inside a
// switch statement of the user. In exchange the compiler sees every jump, and refuses one past an initialised variable.
#ifndef PLY_RESUME_POINT_HPP
#define PLY_RESUME_POINT_HPP

#include <stdint.h>

#if !defined(__GNUC__) && !defined(PLY_USE_SWITCH)
#define PLY_USE_SWITCH
#endif

// What happens in the switch form when a body is entered at a point that its switch does not have.
#if !defined(PLY_LOST)
#if defined(__GNUC__)
#define PLY_LOST() __builtin_trap()
#else
#define PLY_LOST() for (;;) {}
#endif
#endif

// A copy of a body would have labels of its own, and an address stored by one copy would lead into the other.
#if defined(__clang__)
#define PLY_ONE_COPY_ __attribute__((noinline))
#elif defined(__GNUC__)
#define PLY_ONE_COPY_ __attribute__((noinline, noclone))
#else
#define PLY_ONE_COPY_
#endif

namespace ply {

#if defined(PLY_USE_SWITCH)

/// Where a body goes on; `from_the_start` if it has not begun.
using resume_point = uint16_t;
constexpr resume_point from_the_start = 0;

#define PLY_ENTER_()                                                     \
    static_assert(__LINE__ < 32767, "a resume point is twice its line"); \
    switch (this->ply_point_) {                                          \
    default:                                                             \
        PLY_LOST();                                                      \
        return;                                                          \
    case ::ply::from_the_start:
#define PLY_LEAVE_() }

#define PLY_PAUSE_AT_(point)        \
    do {                            \
        this->ply_point_ = (point); \
        return;                     \
    case (point):;                  \
    } while (0)
#define PLY_AWAIT_AT_(point, ...)       \
    do {                                \
        while (!(__VA_ARGS__)) {        \
            this->ply_point_ = (point); \
            return;                     \
        case (point):;                  \
        }                               \
    } while (0)

// The two points a macro may take on its line.
#define PLY_FIRST_ (2 * __LINE__)
#define PLY_SECOND_ (2 * __LINE__ + 1)

#else

/// Where a body goes on; `from_the_start` if it has not begun.
using resume_point = void *;
constexpr resume_point from_the_start = nullptr;

// GCC 12 and later take a label for a variable whose address outlives its function.
#if !defined(__clang__) && __GNUC__ >= 12
#define PLY_LABELS_LEAVE_() _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wdangling-pointer\"")
#define PLY_LABELS_STAY_() _Pragma("GCC diagnostic pop")
#else
#define PLY_LABELS_LEAVE_()
#define PLY_LABELS_STAY_()
#endif

// Clang refuses a computed goto where no label's address is taken, as in a body without a pause.
#if defined(__clang__)
#define PLY_ONE_ADDRESS_()                            \
    do {                                              \
        __label__ ply_start;                          \
    ply_start:                                        \
        static_cast<void>(__extension__ &&ply_start); \
    } while (0)
#else
#define PLY_ONE_ADDRESS_() static_cast<void>(0)
#endif

#define PLY_ENTER_()                                 \
    if (this->ply_point_ != ::ply::from_the_start) { \
        goto *this->ply_point_;                      \
    }                                                \
    PLY_ONE_ADDRESS_()
#define PLY_LEAVE_()

#define PLY_PAUSE_AT_(unused)                        \
    do {                                             \
        __label__ ply_here;                          \
        PLY_LABELS_LEAVE_()                          \
        this->ply_point_ = __extension__ &&ply_here; \
        PLY_LABELS_STAY_()                           \
        return;                                      \
    ply_here:;                                       \
    } while (0)
#define PLY_AWAIT_AT_(unused, ...)                   \
    do {                                             \
        __label__ ply_here;                          \
        PLY_LABELS_LEAVE_()                          \
        this->ply_point_ = __extension__ &&ply_here; \
        PLY_LABELS_STAY_()                           \
    ply_here:                                        \
        if (!(__VA_ARGS__)) {                        \
            return;                                  \
        }                                            \
    } while (0)

#define PLY_FIRST_
#define PLY_SECOND_

#endif

} // namespace ply

#endif
