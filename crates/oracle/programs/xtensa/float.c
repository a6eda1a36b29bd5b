// Single precision: by integers or by the core's unit. All cores must get the same sums.
#include "common.h"

static float matrix[3][4];

static uint32_t bits(float value)
{
  return ((union {
           float value;
           uint32_t bits;
         }){value})
      .bits;
}

static NOINLINE float root(float value)
{
  float guess = value > 1.0f ? value * 0.5f : 1.0f;
  for (int i = 0; i < 6; i++)
    guess = 0.5f * (guess + value / guess);
  return guess;
}

static NOINLINE float exponential(float x)
{
  float term = 1.0f, sum = 1.0f;
  for (int i = 1; i < 8; i++) {
    term = term * x / (float)i;
    sum += term;
  }
  return sum;
}

static NOINLINE float sine(float x)
{
  float term = x, sum = x;
  for (unsigned i = 1; i < 4; i++) {
    term = -term * x * x / (float)(2 * i * (2 * i + 1));
    sum += term;
  }
  return sum;
}

// The steps after which z² + c leaves a circle of radius 2.
static NOINLINE int escape(float re, float im)
{
  float x = 0.0f, y = 0.0f;
  int steps = 0;
  while (steps < 8 && x * x + y * y <= 4.0f) {
    float next_x = x * x - y * y + re;
    y = 2.0f * x * y + im;
    x = next_x;
    steps++;
  }
  return steps;
}

// Solves a system of linear equations by elimination.
static NOINLINE void solve(uint32_t seed)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++)
      matrix[i][j] = (float)((int32_t)(seed = seed * 1664525 + 1013904223) >> 12) / 1024.0f + (i == j ? 2000.0f : 0.0f);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      if (k == i)
        continue;
      float by = matrix[k][i] / matrix[i][i];
      for (int j = i; j < 4; j++)
        matrix[k][j] -= by * matrix[i][j];
    }
}

static NOINLINE uint32_t fixed_part(void)
{
  uint32_t sum = 0;
  for (int i = 1; i < 4; i++) {
    float x = (float)i * 0.375f - 1.0f;
    sum = sum * 31 + bits(root((float)i * 3.0f));
    sum = sum * 31 + bits(exponential(x));
    sum = sum * 31 + bits(sine(x));
    sum = sum * 31 + (uint32_t)escape(x - 1.0f, 0.25f * x);
    sum = sum * 31 + (uint32_t)(int32_t)(x * 1000.0f) + (uint32_t)(exponential(x) * 100.0f);
  }
  solve(1);
  for (int i = 0; i < 3; i++)
    sum = sum * 31 + bits(matrix[i][3] / matrix[i][i]);
  return sum;
}

static void edges(void)
{
  volatile float zero = 0.0f, most = 3.4028235e38f, least = 1.4e-45f, one = 1.0f;
  float infinite = one / zero, none = zero / zero;
  CHECK(infinite > most && -infinite < -most && most * 2.0f == infinite);
  CHECK(none != none && !(none < one) && !(none >= one));
  CHECK(least > zero && least * 0.5f == zero && least * 8388608.0f == 1.17549435e-38f);
  CHECK(-zero == zero && bits(-zero) == 0x80000000);
  // Halves go to the even side.
  CHECK(bits(16777216.0f + one) == 0x4B800000 && bits(16777218.0f + one) == 0x4B800002);
  CHECK((float)(int32_t)opaque(0x7FFFFFFF) == 2147483648.0f && (float)opaque(0xFFFFFF80) == 4294967296.0f);
}

int main(void)
{
#if defined(HAS_UNIT)
  __asm__ volatile("write_special %0, 224\n\trsync" ::"a"(1));
#endif
  edges();
  uint32_t sum = fixed_part();
  CHECK(sum == 0x65BE1B9A);
  for (uint32_t round = 1; round < SCALE; round++) {
    solve(next());
    for (int i = 0; i < 3; i++)
      sum = sum * 31 + bits(matrix[i][3] / matrix[i][i]) + (uint32_t)escape((float)i * 0.2f - 1.0f, matrix[i][3] / 8192.0f);
    sum += bits(exponential((float)(next() & 0xFF) / 128.0f)) + bits(root((float)(next() >> 8)));
  }
  random_state ^= sum;
  finish();
}
