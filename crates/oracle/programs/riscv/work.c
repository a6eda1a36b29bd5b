// Arithmetic of every kind, memory, recursion, atomic instructions.
#include "common.h"

static uint32_t data[256];

static uint32_t next(uint32_t *state)
{
  *state = *state * 1664525 + 1013904223;
  return *state;
}

static void sort(uint32_t *from, int count)
{
  if (count < 2)
    return;
  uint32_t pivot = from[count / 2];
  int low = 0, high = count - 1;
  while (low <= high) {
    while (from[low] < pivot)
      low++;
    while (from[high] > pivot)
      high--;
    if (low <= high) {
      uint32_t kept = from[low];
      from[low++] = from[high];
      from[high--] = kept;
    }
  }
  sort(from, high + 1);
  sort(from + low, count - low);
}

static uint32_t atomics(void)
{
  static uint32_t word = 5;
  uint32_t old, sum = 0;
  __asm__ volatile("amoadd.w %0, %1, (%2)" : "=r"(old) : "r"(7), "r"(&word) : "memory");
  sum += old;
  __asm__ volatile("amomax.w %0, %1, (%2)" : "=r"(old) : "r"(-1), "r"(&word) : "memory");
  sum = sum * 31 + old;
  __asm__ volatile("amomaxu.w %0, %1, (%2)" : "=r"(old) : "r"(-1), "r"(&word) : "memory");
  sum = sum * 31 + old;
  __asm__ volatile("amoxor.w %0, %1, (%2)" : "=r"(old) : "r"(0xFF), "r"(&word) : "memory");
  sum = sum * 31 + old;
  __asm__ volatile("1: lr.w %0, (%1)\n addi %0, %0, 1\n sc.w t0, %0, (%1)\n bnez t0, 1b"
                   : "=&r"(old)
                   : "r"(&word)
                   : "t0", "memory");
  __asm__ volatile("sc.w %0, %1, (%2)" : "=r"(old) : "r"(1), "r"(&word) : "memory");
  return sum * 31 + word * 2 + (old != 0);
}

int main(void)
{
  uint32_t state = 1, sum = 0;
  for (int i = 0; i < 256; i++)
    data[i] = next(&state);
  sort(data, 256);
  for (int i = 0; i < 256; i++)
    sum = sum * 33 + data[i];
  line("sorted", sum);
  for (int i = 0; i < 200; i++) {
    int32_t a = next(&state), b = i % 7 ? (int32_t)next(&state) >> i % 31 : i % 3 - 1;
    uint32_t q, r, uq, ur, h, hu, hsu;
    __asm__ volatile("div %0, %1, %2" : "=r"(q) : "r"(a), "r"(b));
    __asm__ volatile("rem %0, %1, %2" : "=r"(r) : "r"(a), "r"(b));
    __asm__ volatile("divu %0, %1, %2" : "=r"(uq) : "r"(a), "r"(b));
    __asm__ volatile("remu %0, %1, %2" : "=r"(ur) : "r"(a), "r"(b));
    __asm__ volatile("mulh %0, %1, %2" : "=r"(h) : "r"(a), "r"(b));
    __asm__ volatile("mulhu %0, %1, %2" : "=r"(hu) : "r"(a), "r"(b));
    __asm__ volatile("mulhsu %0, %1, %2" : "=r"(hsu) : "r"(a), "r"(b));
    sum = sum * 33 + q + 3 * r + 5 * uq + 7 * ur + 11 * h + 13 * hu + 17 * hsu;
  }
  line("divided", sum);
  line("atomics", atomics());
  uint8_t *bytes = (uint8_t *)data;
  int16_t *halves = (int16_t *)data;
  for (int i = 0; i < 500; i++) {
    bytes[next(&state) >> 22] ^= i;
    halves[next(&state) >> 23] -= i;
    sum = sum * 33 + (int8_t)bytes[i] + halves[i];
  }
  line("stored", sum);
  return 42;
}
