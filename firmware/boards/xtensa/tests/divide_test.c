/* The four divisions against numbers that were made without dividing: a quotient, a divisor and a remainder below it. */
#include "board.h"

/** Divisions of each kind. */
#define ROUNDS 200000u

static uint32_t state = 0x2545F491u;

/* xorshift32 (Marsaglia, "Xorshift RNGs"). */
static uint32_t random32(void) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

/* All lengths are as likely. */
static uint32_t random_length(void) { return random32() >> (random32() & 31u); }

/* Hidden from the compiler, which would else divide by multiplying. */
static uint32_t opaque(uint32_t value) {
    __asm volatile("" : "+r"(value));
    return value;
}

static uint32_t checked;

static void fail(const char *what) {
    board_write(what);
    board_write(": wrong\n");
    board_exit();
}

/* Whether quotient * divisor + remainder is no more than `most`, by halves of words: 64 bits would want a library. */
static int fits(uint32_t quotient, uint32_t divisor, uint32_t remainder, uint32_t most) {
    uint32_t above = (quotient & 0xFFFFu) * (divisor & 0xFFFFu) >> 16;
    uint32_t one = (quotient >> 16) * (divisor & 0xFFFFu) + above;
    uint32_t other = (quotient & 0xFFFFu) * (divisor >> 16) + (one & 0xFFFFu);
    uint32_t high = (quotient >> 16) * (divisor >> 16) + (one >> 16) + (other >> 16);
    uint32_t low = quotient * divisor;

    return high == 0 && low + remainder >= low && low + remainder <= most;
}

static void check_unsigned(uint32_t quotient, uint32_t divisor, uint32_t remainder) {
    if (!fits(quotient, divisor, remainder, UINT32_MAX)) {
        return;
    }
    uint32_t dividend = quotient * divisor + remainder;

    checked += 1;
    if (opaque(dividend) / opaque(divisor) != quotient) {
        fail("unsigned quotient");
    }
    if (opaque(dividend) % opaque(divisor) != remainder) {
        fail("unsigned remainder");
    }
}

static void check_signed(uint32_t quotient, uint32_t divisor, uint32_t remainder) {
    if (divisor > INT32_MAX || !fits(quotient, divisor, remainder, INT32_MAX)) {
        return;
    }
    int32_t dividend = (int32_t)(quotient * divisor + remainder);
    for (int signs = 0; signs < 4; signs += 1) {
        int32_t up = signs & 1 ? -dividend : dividend;
        int32_t down = signs & 2 ? -(int32_t)divisor : (int32_t)divisor;
        int32_t whole = (signs & 1) != (signs >> 1) ? -(int32_t)quotient : (int32_t)quotient;

        if ((int32_t)opaque((uint32_t)up) / (int32_t)opaque((uint32_t)down) != whole) {
            fail("signed quotient");
        }
        int32_t rest = signs & 1 ? -(int32_t)remainder : (int32_t)remainder;

        if ((int32_t)opaque((uint32_t)up) % (int32_t)opaque((uint32_t)down) != rest) {
            fail("signed remainder");
        }
    }
}

void *xtensa_interrupt(void *frame) {
    (void)frame;
    xtensa_fault();
}

int main(void) {
    static const uint32_t edges[] = {0, 1, 2, 3, 0x7FFFFFFFu, 0x80000000u, 0x80000001u, 0xFFFFFFFEu, 0xFFFFFFFFu};
    unsigned count = sizeof edges / sizeof edges[0];

    board_init();
    for (unsigned k = 0; k < count; k += 1) {
        for (unsigned j = 1; j < count; j += 1) {
            check_unsigned(edges[k], edges[j], 0);
            check_unsigned(edges[k], edges[j], edges[j] - 1);
            check_unsigned(0, edges[j], edges[j] - 1);
            check_unsigned(1, edges[j], 0);
        }
    }
    for (unsigned left = ROUNDS; left != 0; left -= 1) {
        uint32_t divisor = random_length();
        uint32_t quotient = random_length(), remainder = random_length();

        /* Below the divisor without a division: as many of the bits as it has, less one. */
        if (divisor == 0) {
            continue;
        }
        if (remainder >= divisor) {
            remainder &= (0x80000000u >> __builtin_clz(divisor)) - 1;
        }
        check_unsigned(quotient, divisor, remainder);
        check_signed(quotient, divisor, remainder);
    }
    if (checked < ROUNDS / 4) {
        fail("the choice of numbers");
    }
    board_write("divide: right\n");
    board_exit();
}
