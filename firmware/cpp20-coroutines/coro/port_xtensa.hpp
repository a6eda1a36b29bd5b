// What the scheduler needs of Xtensa; port.hpp includes it.
#ifndef CORO_PORT_XTENSA_HPP
#define CORO_PORT_XTENSA_HPP

#include <cstdint>

namespace coro {

/// Masks interrupts by PS from construction to destruction; nests.
class critical_section {
public:
    critical_section() noexcept { __asm volatile("rsil %0, 15" : "=a"(ps_)::"memory"); }
    ~critical_section() { __asm volatile("wsr.ps %0\n\trsync" ::"a"(ps_) : "memory"); }
    critical_section(const critical_section &) = delete;
    critical_section &operator=(const critical_section &) = delete;

private:
    std::uint32_t ps_;
};

/// Sleeps until an interrupt is pending. One instruction unmasks and sleeps, and the interrupt has been served when they
/// are masked again.
inline void wait_for_interrupt() noexcept {
    std::uint32_t ps;
    __asm volatile("waiti 0\n\trsil %0, 15" : "=a"(ps)::"memory");
}

} // namespace coro

#endif
