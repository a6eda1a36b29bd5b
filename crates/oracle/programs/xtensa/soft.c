// Single precision by integers, rounding to the nearest, for cores without a unit: what GCC calls by these names.
#include <stdint.h>

typedef union {
  float value;
  uint32_t bits;
} word_t;

enum { SIGN = 1u << 31, INFINITY = 0x7F800000, NOT_A_NUMBER = 0x7FC00000 };

static float from(uint32_t bits)
{
  return ((word_t){.bits = bits}).value;
}

static uint32_t bits(float value)
{
  return ((word_t){value}).bits;
}

static int is_nan(uint32_t a)
{
  return (a & 0x7FFFFFFF) > INFINITY;
}

// The number significand · 2^(exponent − 157), rounded; bit 31 is the significand's first, and bit 0 says what was cut off.
static uint32_t rounded(uint32_t sign, int exponent, uint32_t significand)
{
  if (significand == 0)
    return sign;
  int zeros = __builtin_clz(significand);
  significand <<= zeros;
  exponent -= zeros;
  if (exponent <= 0) {
    int by = 1 - exponent;
    significand = by > 31 ? 1 : significand >> by | ((significand & ((1u << by) - 1)) != 0);
    exponent = 0;
  }
  uint32_t rest = significand & 0xFF, result = significand >> 8;
  if (rest > 0x80 || (rest == 0x80 && (result & 1)))
    result++;
  // The first bit adds one to the exponent, unless the number is too small to have it.
  result += (uint32_t)(exponent == 0 ? 0 : exponent - 1) << 23;
  return sign | (result >= INFINITY ? INFINITY : result);
}

// Splits what is neither zero, infinite nor no number into an exponent and a significand of 24 bits.
static int split(uint32_t a, uint32_t *significand)
{
  int exponent = (int)(a >> 23 & 0xFF);
  *significand = a & 0x7FFFFF;
  if (exponent != 0) {
    *significand |= 0x800000;
    return exponent;
  }
  int zeros = __builtin_clz(*significand) - 8;
  *significand <<= zeros;
  return 1 - zeros;
}

static uint32_t sum(uint32_t a, uint32_t b)
{
  if (is_nan(a) || is_nan(b))
    return NOT_A_NUMBER;
  if ((a & 0x7FFFFFFF) < (b & 0x7FFFFFFF)) {
    uint32_t kept = a;
    a = b;
    b = kept;
  }
  if ((a & 0x7FFFFFFF) == INFINITY)
    return b == (a ^ SIGN) ? NOT_A_NUMBER : a;
  if ((b & 0x7FFFFFFF) == 0)
    return (a & 0x7FFFFFFF) == 0 ? a & b : a;
  uint32_t x, y;
  int exponent = split(a, &x), by = exponent - split(b, &y);
  x <<= 7;
  y <<= 7;
  y = by > 31 ? 1 : by == 0 ? y : y >> by | ((y & ((1u << by) - 1)) != 0);
  x = (a ^ b) & SIGN ? x - y : x + y;
  return x == 0 ? 0 : rounded(a & SIGN, exponent + 1, x);
}

float __addsf3(float a, float b)
{
  return from(sum(bits(a), bits(b)));
}

float __subsf3(float a, float b)
{
  return from(sum(bits(a), bits(b) ^ SIGN));
}

float __mulsf3(float left, float right)
{
  uint32_t a = bits(left), b = bits(right), sign = (a ^ b) & SIGN;
  a &= ~SIGN;
  b &= ~SIGN;
  if (is_nan(a) || is_nan(b) || (a == INFINITY && b == 0) || (b == INFINITY && a == 0))
    return from(NOT_A_NUMBER);
  if (a == INFINITY || b == INFINITY)
    return from(sign | INFINITY);
  if (a == 0 || b == 0)
    return from(sign);
  uint32_t x, y;
  int exponent = split(a, &x) + split(b, &y) - 126;
  // Two of 24 bits by parts of 12: 48 bits, of which the upper 32 and what the others leave.
  uint32_t low = (x & 0xFFF) * (y & 0xFFF), middle = (x >> 12) * (y & 0xFFF) + (x & 0xFFF) * (y >> 12);
  middle += low >> 12;
  uint32_t high = (x >> 12) * (y >> 12) + (middle >> 12), rest = (middle & 0xFFF) << 12 | (low & 0xFFF);
  return from(rounded(sign, exponent, high << 8 | rest >> 16 | ((rest & 0xFFFF) != 0)));
}

float __divsf3(float left, float right)
{
  uint32_t a = bits(left), b = bits(right), sign = (a ^ b) & SIGN;
  a &= ~SIGN;
  b &= ~SIGN;
  if (is_nan(a) || is_nan(b) || (a == INFINITY && b == INFINITY) || (a == 0 && b == 0))
    return from(NOT_A_NUMBER);
  if (a == INFINITY || b == 0)
    return from(sign | INFINITY);
  if (a == 0 || b == INFINITY)
    return from(sign);
  uint32_t x, y, quotient = 0;
  int exponent = split(a, &x) - split(b, &y) + 127;
  for (int bit = 0; bit < 31; bit++) {
    quotient <<= 1;
    if (x >= y) {
      x -= y;
      quotient |= 1;
    }
    x <<= 1;
  }
  return from(rounded(sign, exponent, quotient << 1 | (x != 0)));
}

float __floatsisf(int32_t value)
{
  return from(rounded(value < 0 ? SIGN : 0, 158, value < 0 ? 0u - (uint32_t)value : (uint32_t)value));
}

float __floatunsisf(uint32_t value)
{
  return from(rounded(0, 158, value));
}

uint32_t __fixunssfsi(float value)
{
  uint32_t a = bits(value), exponent = a >> 23 & 0xFF, significand = (a & 0x7FFFFF) | 0x800000;
  if (a >> 31 || exponent < 127)
    return 0;
  if (exponent > 158)
    return UINT32_MAX;
  return exponent > 150 ? significand << (exponent - 150) : significand >> (150 - exponent);
}

int32_t __fixsfsi(float value)
{
  uint32_t magnitude = __fixunssfsi(from(bits(value) & ~SIGN));
  if (bits(value) & SIGN)
    return magnitude > SIGN ? INT32_MIN : (int32_t)(0u - magnitude);
  return magnitude >= SIGN ? INT32_MAX : (int32_t)magnitude;
}

// −1, 0 or 1, and `unordered` with what is no number.
static int compared(float left, float right, int unordered)
{
  uint32_t a = bits(left), b = bits(right);
  if (is_nan(a) || is_nan(b))
    return unordered;
  if (((a | b) & 0x7FFFFFFF) == 0)
    return 0;
  int32_t x = a & SIGN ? (int32_t)(SIGN - a) : (int32_t)a, y = b & SIGN ? (int32_t)(SIGN - b) : (int32_t)b;
  return (x > y) - (x < y);
}

int __eqsf2(float a, float b)
{
  return compared(a, b, 1);
}

int __nesf2(float a, float b)
{
  return compared(a, b, 1);
}

int __ltsf2(float a, float b)
{
  return compared(a, b, 1);
}

int __lesf2(float a, float b)
{
  return compared(a, b, 1);
}

int __gtsf2(float a, float b)
{
  return compared(a, b, -1);
}

int __gesf2(float a, float b)
{
  return compared(a, b, -1);
}
