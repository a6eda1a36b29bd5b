/* What the C of Xtensa boards says to the core: special registers, the interrupt level, and the two ways into a frame. */
#ifndef CYCLESCOPE_XTENSA_H
#define CYCLESCOPE_XTENSA_H

#include <stdint.h>

#include "frame.h"

/** Aligns the code that follows (switch.h). The assembler fills with zeros, which are no instruction, so control goes around. */
#define SWITCH_ALIGN "j 1f\n\t.balign 16\n1:"

#define REG32(address) (*(volatile uint32_t *)(address))

/** The interrupt of the first timer, at level 1, on both parts. */
#define INTERRUPT_CCOMPARE0 (1u << 6)

static inline uint32_t xtensa_ccount(void) {
    uint32_t value;

    __asm volatile("rsr.ccount %0" : "=a"(value));
    return value;
}

static inline uint32_t xtensa_ccompare0(void) {
    uint32_t value;

    __asm volatile("rsr.ccompare0 %0" : "=a"(value));
    return value;
}

/** Also takes the timer's interrupt back. */
static inline void xtensa_set_ccompare0(uint32_t cycle) {
    __asm volatile("wsr.ccompare0 %0\n\tesync" ::"a"(cycle) : "memory");
}

/** The interrupts that are pending and enabled, a bit each. */
static inline uint32_t xtensa_pending(void) {
    uint32_t pending, enabled;

    __asm volatile("rsr.interrupt %0\n\trsr.intenable %1" : "=a"(pending), "=a"(enabled));
    return pending & enabled;
}

static inline void xtensa_enable(uint32_t interrupts) {
    __asm volatile("wsr.intenable %0\n\trsync" ::"a"(interrupts) : "memory");
}

/** Masks interrupts up to XTENSA_MASKED_LEVEL; the result is for `xtensa_unmask`. */
static inline uint32_t xtensa_mask(void) {
    uint32_t ps;

    __asm volatile("rsil %0, %1" : "=a"(ps) : "i"(XTENSA_MASKED_LEVEL) : "memory");
    return ps;
}

static inline void xtensa_unmask(uint32_t ps) { __asm volatile("wsr.ps %0\n\trsync" ::"a"(ps) : "memory"); }

/** Masks all interrupts but the NMI and sleeps. */
static inline __attribute__((noreturn)) void xtensa_sleep_for_ever(void) {
    for (;;) {
        __asm volatile("waiti 15" ::: "memory");
    }
}

/**
 * The program's, called by the interrupt entry with interrupts masked: serves what is pending and returns the frame to go on
 * with, the interrupted one or that of another task. It runs on the stack of what was interrupted.
 */
void *xtensa_interrupt(void *frame);

/** Leaves a short frame, calls `next` with its address, interrupts masked, and goes on with the frame that it returns. */
void xtensa_switch(void *(*next)(void *frame));

/** Goes on with the frame; nothing comes back. */
__attribute__((noreturn)) void xtensa_begin(void *frame);

/** Where what nobody expects ends: a loop, for a debugger to find. */
__attribute__((noreturn)) void xtensa_fault(void);

#endif
