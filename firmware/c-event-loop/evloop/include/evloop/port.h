/*
 * What the queue needs of the machine: to keep interrupt handlers out for a few instructions.
 *
 * A program overrides it by defining EVL_CRITICAL_ENTER and EVL_CRITICAL_EXIT on the compiler's command line. The
 * defaults for Arm and Xtensa save PRIMASK or PS, mask interrupts and restore what was there, so that sections nest; on a
 * host, where nothing interrupts, both are empty.
 */
#ifndef EVLOOP_PORT_H
#define EVLOOP_PORT_H

#include <stdint.h>

#if !defined(EVL_CRITICAL_ENTER)

#if defined(__arm__)

static inline uint32_t evl_critical_enter(void) {
    uint32_t primask;

    __asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(primask)::"memory");
    return primask;
}

static inline void evl_critical_exit(uint32_t primask) { __asm volatile("msr primask, %0" ::"r"(primask) : "memory"); }

#define EVL_CRITICAL_ENTER() evl_critical_enter()
#define EVL_CRITICAL_EXIT(saved) evl_critical_exit(saved)

#elif defined(__XTENSA__)

static inline uint32_t evl_critical_enter(void) {
    uint32_t ps;

    __asm volatile("rsil %0, 15" : "=a"(ps)::"memory");
    return ps;
}

static inline void evl_critical_exit(uint32_t ps) { __asm volatile("wsr.ps %0\n\trsync" ::"a"(ps) : "memory"); }

#define EVL_CRITICAL_ENTER() evl_critical_enter()
#define EVL_CRITICAL_EXIT(saved) evl_critical_exit(saved)

#else

#define EVL_CRITICAL_ENTER() 0u
#define EVL_CRITICAL_EXIT(saved) ((void)(saved))

#endif

#endif

#endif
