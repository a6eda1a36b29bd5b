// What GCC's own library for the LX106 has: divisions and shifts of 64 bits, counts of bits, single and double precision.
#include "common.h"

uint64_t __udivmoddi4(uint64_t dividend, uint64_t divisor, uint64_t *remainder);
int64_t __moddi3(int64_t dividend, int64_t divisor);
int64_t __divmoddi4(int64_t dividend, int64_t divisor, int64_t *remainder);

// The chip's boot ROM has it, so the library does not. Parts of 16 bits.
uint64_t __umulsidi3(uint32_t a, uint32_t b)
{
  uint32_t low = (a & 0xFFFF) * (b & 0xFFFF), one = (a >> 16) * (b & 0xFFFF) + (low >> 16), other = (a & 0xFFFF) * (b >> 16);
  uint32_t middle = (one & 0xFFFF) + other;
  return (uint64_t)((a >> 16) * (b >> 16) + (one >> 16) + (middle >> 16)) << 32 | (middle << 16 | (low & 0xFFFF));
}

// Hidden from the compiler, which would else know the results.
static uint64_t wide(void)
{
  uint64_t value = (uint64_t)next() << 32 | next();
  return value >> (next() & 63);
}

static NOINLINE uint64_t times(uint64_t a, uint64_t b)
{
  uint64_t product = 0;
  for (; b != 0; b >>= 1, a <<= 1)
    product += b & 1 ? a : 0;
  return product;
}

int main(void)
{
  uint64_t sum = 0;
  for (int round = 0; round < 6 * SCALE; round++) {
    uint64_t dividend = wide(), divisor = wide() | 1, remainder;
    uint64_t quotient = __udivmoddi4(dividend, divisor, &remainder);
    CHECK(remainder < divisor && times(quotient, divisor) + remainder == dividend);
    int64_t rest, negative = __divmoddi4(-(int64_t)(dividend >> 1), (int64_t)(divisor >> 1 | 1), &rest);
    CHECK(rest <= 0 && __moddi3(-(int64_t)(dividend >> 1), (int64_t)(divisor >> 1 | 1)) == rest);
    CHECK(times((uint64_t)-negative, divisor >> 1 | 1) - (uint64_t)rest == dividend >> 1);
    unsigned shift = next() & 63;
    CHECK((dividend >> shift << shift | (dividend & ((1ull << shift) - 1))) == dividend);
    sum = (sum << 7 | sum >> 57) ^ quotient ^ dividend << shift ^ (uint64_t)((int64_t)divisor >> shift);
    unsigned bits = (unsigned)__builtin_popcountll(dividend);
    CHECK(((bits ^ (unsigned)__builtin_parityll(dividend)) & 1) == 0);
    CHECK(divisor >> (63 - __builtin_clzll(divisor)) == 1 && (divisor >> __builtin_ctzll(divisor) & 1) == 1);
    CHECK(__builtin_bswap64(__builtin_bswap64(dividend)) == dividend);
    sum += __builtin_bswap64(dividend) + bits;
  }
  random_state ^= (uint32_t)(sum ^ sum >> 32);
  finish();
}
