// Three tasks that give the processor away by themselves, and lose it to an interrupt that one of them raises.
#define HAS_INTERRUPTS
#include "common.h"

enum { TASKS = 3, WORDS = 640, SOFTWARE = 1 << 7 };

static uint32_t stacks[TASKS][WORDS] __attribute__((aligned(16)));
static void *frames[TASKS];
static uint32_t current, interrupts, sums[TASKS];
static volatile uint32_t done;

static void *next_task(void *frame)
{
  frames[current] = frame;
  current = (current + 1) % TASKS;
  return frames[current];
}

void *xtensa_interrupt(void *frame)
{
  CHECK(xtensa_pending() == SOFTWARE);
  __asm__ volatile("wsr.intclear %0\n\trsync" ::"a"(SOFTWARE) : "memory");
  interrupts++;
  return interrupts % 4 == 0 ? frame : next_task(frame);
}

static void raise(void)
{
  __asm__ volatile("wsr.intset %0\n\trsync" ::"a"(SOFTWARE) : "memory");
}

static NOINLINE uint32_t descend(uint32_t depth, uint32_t seed, uint32_t how)
{
  uint32_t a = seed * 3 + depth, b = a ^ 0x55AA55AA, c = b + seed, d = c * 7, e = d ^ a, f = e + b;
  if (depth == 0) {
    if (how == 1)
      xtensa_switch(next_task);
    if (how == 2)
      raise();
    return a ^ (f << (e & 15)) ^ (d >> (c & 31));
  }
  if (how == 2 && depth == 3)
    raise();
  uint32_t below = descend(depth - 1, seed + f, how);
  return (a + b + c + d + e + f) ^ (below << 1 | below >> 31);
}

static __attribute__((noreturn)) void task(uint32_t number)
{
  for (uint32_t round = 0; round < 4 * SCALE; round++) {
    uint32_t depth = 3 + (round * 5 + number * 7) % 14, seed = number * 1000003 + round;
    uint32_t first = descend(depth, seed, round % 3);
    uint32_t second = descend(depth, seed, 0);
    CHECK(first == second);
    sums[number] = sums[number] * 31 + first;
  }
  done++;
  while (done < TASKS)
    xtensa_switch(next_task);
  xtensa_enable(0);
  CHECK(interrupts > TASKS);
  finish();
}

// A full frame, as if the task had been interrupted before its first instruction; windowed, as if called by CALL4.
static void *prepare(uint32_t number)
{
  uint32_t end = (uint32_t)&stacks[number + 1];
#if defined(__XTENSA_CALL0_ABI__)
  uint32_t *frame = (uint32_t *)(end - FRAME_BYTES);
  frame[FRAME_A(2) / 4] = number;
#else
  uint32_t caller = end - FRAME_BASE_SAVE;
  uint32_t *frame = (uint32_t *)(caller - FRAME_BASE_SAVE - FRAME_BYTES);
  frame[FRAME_A(1) / 4] = caller;
  frame[FRAME_A(6) / 4] = number;
#endif
  frame[FRAME_KIND / 4] = FRAME_FULL;
  frame[FRAME_PS / 4] = FRAME_TASK_PS;
  frame[FRAME_PC / 4] = (uint32_t)task;
  return frame;
}

int main(void)
{
  for (uint32_t number = 0; number < TASKS; number++)
    frames[number] = prepare(number);
  (void)xtensa_mask();
  xtensa_enable(SOFTWARE);
  xtensa_begin(frames[0]);
}
