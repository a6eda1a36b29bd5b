/* Turns the build's choice of mode (one of -DMODE_PLAIN, -DMODE_ONE, -DMODE_TWO, -DMODE_TWO_SLICED) into constants,
 * so that contenders write `if (PRIMES_YIELDS)` and the compiler drops what the mode does not use. */
#ifndef CYCLESCOPE_MODE_H
#define CYCLESCOPE_MODE_H

#if defined(MODE_PLAIN) + defined(MODE_ONE) + defined(MODE_TWO) + defined(MODE_TWO_SLICED) != 1
#error "define exactly one of MODE_PLAIN, MODE_ONE, MODE_TWO, MODE_TWO_SLICED"
#endif

#if defined(MODE_PLAIN)
#define PRIMES_MODE "plain"
#define PRIMES_YIELDS 0
#define PRIMES_SECOND 0
#elif defined(MODE_ONE)
#define PRIMES_MODE "one"
#define PRIMES_YIELDS 1
#define PRIMES_SECOND 0
#elif defined(MODE_TWO)
#define PRIMES_MODE "two"
#define PRIMES_YIELDS 1
#define PRIMES_SECOND 1
#else
#define PRIMES_MODE "two-sliced"
#define PRIMES_YIELDS 1
#define PRIMES_SECOND 1
#endif

#endif
