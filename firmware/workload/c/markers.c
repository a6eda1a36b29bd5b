#include "primes.h"

/* The empty asm keeps the compiler from concluding that the calls do nothing and from moving memory accesses past
 * them; `noclone` keeps the plain symbol name. */

__attribute__((noinline, noclone, used)) void cyclescope_start(void) { __asm volatile("" ::: "memory"); }

__attribute__((noinline, noclone, used)) void cyclescope_stop(void) { __asm volatile("" ::: "memory"); }
