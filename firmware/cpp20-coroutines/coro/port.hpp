// What the scheduler needs of the machine: to keep interrupt handlers out for a few instructions, and to sleep until one
// has run. On a host, where nothing interrupts, both do nothing.
#ifndef CORO_PORT_HPP
#define CORO_PORT_HPP

#include <cstdint>
#if !defined(__XTENSA__)
namespace coro {

/// Masks interrupts by PRIMASK from construction to destruction; nests.
class critical_section {
public:
#if defined(__arm__)
    critical_section() noexcept { __asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(primask_)::"memory"); }
    ~critical_section() { __asm volatile("msr primask, %0" ::"r"(primask_) : "memory"); }
#else
    critical_section() noexcept = default;
    ~critical_section() {} // not defaulted: an unused object of a trivial class would draw a warning
#endif
    critical_section(const critical_section &) = delete;
    critical_section &operator=(const critical_section &) = delete;

private:
#if defined(__arm__)
    std::uint32_t primask_;
#endif
};

/// Sleeps until an interrupt is pending. Called with interrupts masked, it returns before that interrupt is taken, so
/// that none falls between a look at the queue and the sleep.
inline void wait_for_interrupt() noexcept {
#if defined(__arm__)
    __asm volatile("wfi" ::: "memory");
#endif
}

} // namespace coro
#else
#include "port_xtensa.hpp"
#endif

#endif
