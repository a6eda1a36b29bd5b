/*
 * Division, which GCC calls by these names: the LX106 has no instruction for it and its libgcc lacks the functions, and of the LX6,
 * which has, the compiler does not know. Nothing divides by zero here; the LX6 would raise an exception, the LX106 gives all ones.
 */
#include <stdint.h>

uint32_t __udivsi3(uint32_t dividend, uint32_t divisor);
uint32_t __umodsi3(uint32_t dividend, uint32_t divisor);
int32_t __divsi3(int32_t dividend, int32_t divisor);
int32_t __modsi3(int32_t dividend, int32_t divisor);

#if defined(__XTENSA_CALL0_ABI__)

struct division {
    uint32_t quotient;
    uint32_t remainder;
};

/* By shift and subtract, from the first bit that can be set on. The remainder never needs a 33rd bit: a divisor that is shifted
 * no further than to the dividend's first bit is never more than twice of what is left. */
static inline struct division divide(uint32_t dividend, uint32_t divisor) {
    struct division is = {0, dividend};

    if (divisor == 0) {
        is.quotient = UINT32_MAX;
        return is;
    }
    if (dividend < divisor) {
        return is;
    }
    for (int shift = __builtin_clz(divisor) - __builtin_clz(dividend); shift >= 0; shift -= 1) {
        is.quotient <<= 1;
        if (is.remainder >> shift >= divisor) {
            is.remainder -= divisor << shift;
            is.quotient |= 1;
        }
    }
    return is;
}

uint32_t __udivsi3(uint32_t dividend, uint32_t divisor) { return divide(dividend, divisor).quotient; }

uint32_t __umodsi3(uint32_t dividend, uint32_t divisor) { return divide(dividend, divisor).remainder; }

static uint32_t magnitude(int32_t value) { return value < 0 ? 0u - (uint32_t)value : (uint32_t)value; }

int32_t __divsi3(int32_t dividend, int32_t divisor) {
    uint32_t quotient = divide(magnitude(dividend), magnitude(divisor)).quotient;

    return (int32_t)((dividend ^ divisor) < 0 ? 0u - quotient : quotient);
}

int32_t __modsi3(int32_t dividend, int32_t divisor) {
    uint32_t remainder = divide(magnitude(dividend), magnitude(divisor)).remainder;

    return (int32_t)(dividend < 0 ? 0u - remainder : remainder);
}

#else

/* The assembler knows the instructions by windowed.inc. */
#define DIVIDES(instruction)                                                                 \
    __asm volatile(#instruction " %0, %1, %2" : "=a"(result) : "a"(dividend), "a"(divisor)); \
    return result

uint32_t __udivsi3(uint32_t dividend, uint32_t divisor) {
    uint32_t result;

    DIVIDES(quou);
}

uint32_t __umodsi3(uint32_t dividend, uint32_t divisor) {
    uint32_t result;

    DIVIDES(remu);
}

int32_t __divsi3(int32_t dividend, int32_t divisor) {
    int32_t result;

    DIVIDES(quos);
}

int32_t __modsi3(int32_t dividend, int32_t divisor) {
    int32_t result;

    DIVIDES(rems);
}

#endif
