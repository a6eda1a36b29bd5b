// What the programs share: random numbers, checks of their own, and the end.
#ifndef COMMON_H
#define COMMON_H

#include <stddef.h>
#include <stdint.h>

#include "xtensa.h"

#define NOINLINE __attribute__((noinline))

// The line of the first check that failed; the oracle reads it at the end.
uint32_t failed;

#define CHECK(condition)                \
  do {                                  \
    if (!(condition) && failed == 0)    \
      failed = __LINE__;                \
  } while (0)

static uint32_t random_state = 0x2545F491;

// xorshift32 (Marsaglia, "Xorshift RNGs").
static inline uint32_t next(void)
{
  random_state ^= random_state << 13;
  random_state ^= random_state >> 17;
  random_state ^= random_state << 5;
  return random_state;
}

// Keeps the compiler from knowing the value.
static inline uint32_t opaque(uint32_t value)
{
  __asm__ volatile("" : "+r"(value));
  return value;
}

// The number and the arguments of a call are in a2 to a5. The oracle stops at the first SIMCALL, by which QEMU writes the whole
// memory to its output; by the second QEMU ends.
static NOINLINE __attribute__((noreturn)) void finish(void)
{
  register uint32_t a2 __asm__("a2") = 4;
  register uint32_t a3 __asm__("a3") = 1;
  register uint32_t a4 __asm__("a4") = MEMORY_BASE;
  register uint32_t a5 __asm__("a5") = MEMORY_BYTES;
  __asm__ volatile(".global program_end\n"
                   "program_end: .byte 0x00, 0x51, 0x00\n"
                   "movi a2, 1\n"
                   "movi a3, 0\n"
                   ".byte 0x00, 0x51, 0x00"
                   : "+r"(a2), "+r"(a3)
                   : "r"(a4), "r"(a5)
                   : "memory");
  for (;;) {
  }
}

#ifndef HAS_INTERRUPTS
void *xtensa_interrupt(void *frame)
{
  (void)frame;
  xtensa_fault();
}
#endif

#endif
