// Calls: recursion deeper than any file of registers, through pointers, with arguments on the stack, whole structures, arguments
// without number and arrays of a size that is found out late.
#include <stdarg.h>

#include "common.h"

enum { QUEENS = 5 };

typedef struct {
  uint32_t words[7];
} big_t;

typedef struct {
  uint16_t a;
  uint8_t b;
} small_t;

static uint32_t moves[3];

// Keeps eight values alive over a call, so that all of a window is in use.
static NOINLINE uint32_t descend(uint32_t depth, uint32_t seed)
{
  uint32_t a = seed * 3 + depth, b = a ^ 0x55AA55AA, c = b + seed, d = c * 7, e = d ^ a, f = e + b, g = f ^ c, h = g + d;
  if (depth == 0)
    return a ^ (h << (g & 15)) ^ (h >> (e & 31));
  uint32_t below = descend(depth - 1, seed + h);
  return (a + b + c + d + e + f + g + h) ^ (below << 1 | below >> 31);
}

static NOINLINE uint32_t ackermann(uint32_t m, uint32_t n)
{
  if (m == 0)
    return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

static NOINLINE void hanoi(int disks, int from, int to)
{
  if (disks == 0)
    return;
  hanoi(disks - 1, from, 3 - from - to);
  moves[to]++;
  hanoi(disks - 1, 3 - from - to, to);
}

static NOINLINE uint32_t fibonacci(uint32_t n)
{
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static uint32_t is_odd(uint32_t n);

static NOINLINE uint32_t is_even(uint32_t n)
{
  uint32_t (*volatile other)(uint32_t) = is_odd;
  return n == 0 ? 1 : 0 ^ other(n - 1);
}

static NOINLINE uint32_t is_odd(uint32_t n)
{
  uint32_t (*volatile other)(uint32_t) = is_even;
  return n == 0 ? 0 : 0 ^ other(n - 1);
}

static NOINLINE uint32_t queens(uint32_t columns, uint32_t left, uint32_t right)
{
  uint32_t all = (1u << QUEENS) - 1, count = 0;
  if (columns == all)
    return 1;
  for (uint32_t free = all & ~(columns | left | right); free != 0; free &= free - 1) {
    uint32_t place = free & (0 - free);
    count += queens(columns | place, (left | place) << 1, (right | place) >> 1);
  }
  return count;
}

static NOINLINE uint32_t many(uint32_t a, uint8_t b, int16_t c, uint32_t d, uint32_t e, uint32_t f, uint64_t g, uint32_t h, int8_t i)
{
  uint32_t sum = a + 2 * b + 3 * (uint32_t)c + 5 * d + 7 * e + 11 * f + 13 * (uint32_t)g + 17 * (uint32_t)(g >> 32) + 19 * h;
  return a == 0 ? sum : sum + many(a - 1, b, c, e, f, d, g + 0xFFFFFFFF, h ^ sum, i) + (uint32_t)i;
}

static NOINLINE big_t turn(big_t value, small_t small, uint32_t times)
{
  big_t turned;
  for (int i = 0; i < 7; i++)
    turned.words[i] = value.words[(i + 1) % 7] * small.a + small.b;
  return times == 0 ? turned : turn(turned, small, times - 1);
}

static NOINLINE uint32_t total(unsigned count, ...)
{
  va_list arguments;
  uint32_t sum = 0;
  va_start(arguments, count);
  for (unsigned i = 0; i < count; i++) {
    if (i % 3 == 2) {
      uint64_t wide = va_arg(arguments, uint64_t);
      sum += (uint32_t)(wide >> 16);
    } else {
      sum = sum * 3 + va_arg(arguments, uint32_t);
    }
  }
  va_end(arguments);
  return sum;
}

// Arrays of growing sizes, with calls between that push the callers out of the registers.
static NOINLINE uint32_t grown(uint32_t rounds)
{
  uint32_t sum = 0;
  volatile uint32_t *before = NULL;
  for (uint32_t round = 1; round <= rounds; round++) {
    volatile uint32_t *words = __builtin_alloca(4 * round);
    words[0] = descend(12, round);
    words[round - 1] ^= before == NULL ? round : before[0];
    sum = sum * 5 + words[round - 1];
    before = words;
  }
  return sum;
}

static NOINLINE uint32_t chosen(uint32_t which, uint32_t a, uint32_t b)
{
  switch (which) {
  case 0: return a + b;
  case 1: return a - b;
  case 2: return a * b;
  case 3: return a & b;
  case 4: return a | b;
  case 5: return a << (b & 31);
  case 6: return (uint32_t)((int32_t)a >> (b & 31));
  case 7: return a / (b | 1);
  case 8: return (uint32_t)((int32_t)a % ((int32_t)b | 1));
  case 9: return (uint32_t)__builtin_clz(a | 1);
  case 10: return (uint32_t)((int16_t)a * (int16_t)b);
  default: return ~a;
  }
}

int main(void)
{
  uint32_t sums[12] = {0};
  for (uint32_t round = 0; round < SCALE; round++) {
    sums[0] += descend(40, round) + descend(7, round);
    sums[1] += ackermann(2, 3 + round % 3);
    CHECK(ackermann(2, 4) == 11);
    hanoi(6, 0, 2);
    sums[2] += fibonacci(9);
    CHECK(fibonacci(10) == 55);
    CHECK(is_even(40) == 1 && is_odd(41) == 1 && is_even(31) == 0);
    CHECK(queens(0, 0, 0) == 10);
    sums[3] += many(5, (uint8_t)round, -3, 1, 2, 3, 0x123456789ull, 7, -128);
    big_t big = {{1, 2, 3, 4, 5, 6, next()}};
    big = turn(big, (small_t){3, 200}, 9);
    sums[4] += big.words[0] ^ big.words[6];
    sums[5] += total(8, 1, 2, 0x1122334455667788ull, 3, 4, 0x8877665544332211ull, 5, round);
    sums[6] += grown(9);
    for (uint32_t i = 0; i < 36; i++)
      sums[7] = chosen(opaque(i % 12), sums[7] + next(), next() >> (i & 31));
  }
  // 2⁶ − 1 moves each time.
  CHECK(moves[0] + moves[1] + moves[2] == 63 * SCALE);
  for (int i = 0; i < 8; i++)
    random_state ^= sums[i];
  finish();
}
