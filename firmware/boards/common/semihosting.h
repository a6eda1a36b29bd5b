/* Semihosting on Armv7-M (Arm, "Semihosting for AArch32 and AArch64", operation and reason numbers): what boards
 * write with that have QEMU's console, and what they exit with. */
#ifndef CYCLESCOPE_SEMIHOSTING_H
#define CYCLESCOPE_SEMIHOSTING_H

#include <stdint.h>

#define SYS_WRITE0 0x04u
#define SYS_EXIT 0x18u
#define ADP_STOPPED_APPLICATION_EXIT 0x20026u

static inline uint32_t semihosting(uint32_t operation, uint32_t argument) {
    register uint32_t r0 __asm("r0") = operation;
    register uint32_t r1 __asm("r1") = argument;

    __asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

/** Prints a NUL-terminated text. */
static inline void semihosting_write(const char *text) { (void)semihosting(SYS_WRITE0, (uint32_t)text); }

/** Exits with code 0: on 32-bit Arm the plain SYS_EXIT takes the reason itself in r1. */
static inline void semihosting_exit(void) { (void)semihosting(SYS_EXIT, ADP_STOPPED_APPLICATION_EXIT); }

#endif
