/*
 * The primes search that every C contender runs (the Rust twin is ../rust).
 *
 * It comes in two shapes with the same arithmetic. `primes_search` is the straight loop for contenders whose yield is
 * a call that comes back (threads, or none at all). `primes_turn` is one turn of the inner loop for contenders whose
 * yield is a return (super-loop steps, queued closures). Both test the bound before the remainder, both count a turn
 * before they look at it, and both leave everything in a `struct primes_result` in RAM.
 *
 * The functions are inlined into the contender's own translation unit, so that a contender which yields by a call
 * pays for that call and for no second one.
 */
#ifndef CYCLESCOPE_PRIMES_H
#define CYCLESCOPE_PRIMES_H

#include <stdint.h>

/** How many primes end the search. */
#define PRIMES_WANTED 10u
/** The first number tried. */
#define PRIMES_FIRST 0x0FFFFFFFull

/** What a search leaves behind. Counts fit 32 bits by far: 177 trials, 202,346 turns. */
struct primes_result {
    uint64_t primes[PRIMES_WANTED]; /**< in the order found */
    uint32_t found;                 /**< how many of `primes` are valid */
    uint32_t trials;                /**< numbers tried, the last prime included */
    uint32_t loops;                 /**< turns of the inner loop */
    uint32_t dispatches;            /**< yields (or dispatches) the program counted; 0 where it never yields */
};

/** Where a search that is cut into turns stands. */
struct primes_cursor {
    uint64_t n; /**< the number on trial */
    uint64_t i; /**< the divisor tried next */
};

/** What one turn found out. */
enum primes_verdict {
    PRIMES_UNDECIDED, /**< neither; go on with the next divisor */
    PRIMES_COMPOSITE, /**< a divisor was found; the number is done */
    PRIMES_PRIME      /**< the bound was passed; the number is done and stands in `primes` */
};

/**
 * Marks the start and the end of the measured span: empty, never inlined, and kept under these very names, because
 * the measuring side finds them in the symbol table.
 */
void cyclescope_start(void);
void cyclescope_stop(void);

/**
 * The first divisor, kept from the compiler: at -O3 it would take the first turn out of the loop and replace its division
 * by a test of bit 0, and the search would do 177 divisions less than its twins.
 */
static inline __attribute__((always_inline)) uint64_t primes_first_divisor(void) {
    uint64_t i = 2;
    __asm__("" : "+r"(i));
    return i;
}

/** Searches without a break. `yield` is called once per turn before the bound test; NULL never yields. */
static inline __attribute__((always_inline)) void primes_search(struct primes_result *result, void (*yield)(void)) {
    uint64_t n = PRIMES_FIRST;
    uint32_t found = 0, trials = 0, loops = 0, dispatches = 0;

    while (found < PRIMES_WANTED) {
        trials += 1;
        for (uint64_t i = primes_first_divisor();; i += 1) {
            loops += 1;
            if (yield != 0) {
                dispatches += 1;
                yield();
            }
            if (i * i > n) {
                result->primes[found] = n;
                found += 1;
                break;
            }
            if (n % i == 0) {
                break;
            }
        }
        n += 1;
    }
    result->found = found;
    result->trials = trials;
    result->loops = loops;
    result->dispatches = dispatches;
}

/** Sets the cursor before the first number; `primes_next` begins its trial. */
static inline void primes_begin(struct primes_cursor *cursor, struct primes_result *result) {
    cursor->n = PRIMES_FIRST - 1;
    cursor->i = primes_first_divisor();
    result->found = 0;
    result->trials = 0;
    result->loops = 0;
    result->dispatches = 0;
}

/** Sets the cursor on the next number and begins its trial. */
static inline void primes_next(struct primes_cursor *cursor, struct primes_result *result) {
    cursor->n += 1;
    cursor->i = primes_first_divisor();
    result->trials += 1;
}

/** One turn of the inner loop on the number under the cursor. */
static inline enum primes_verdict primes_turn(struct primes_cursor *cursor, struct primes_result *result) {
    uint64_t n = cursor->n, i = cursor->i;

    result->loops += 1;
    if (i * i > n) {
        result->primes[result->found] = n;
        result->found += 1;
        return PRIMES_PRIME;
    }
    if (n % i == 0) {
        return PRIMES_COMPOSITE;
    }
    cursor->i = i + 1;
    return PRIMES_UNDECIDED;
}

#endif
