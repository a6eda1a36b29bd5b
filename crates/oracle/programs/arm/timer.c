// A timer's registers while it stands, and its interrupts.
#include "common.h"

enum { TIM2 = 0x40000000, TIM_DIER = TIM2 + 0x0C, TIM_SR = TIM2 + 0x10, TIM_EGR = TIM2 + 0x14,
       TIM_PSC = TIM2 + 0x28, TIM_ARR = TIM2 + 0x2C, TIM_CCR1 = TIM2 + 0x34 };

static volatile uint32_t updates, flags;

void tim2(void)
{
  flags |= R32(TIM_SR) & 1;
  R32(TIM_SR) = ~1u;
  updates++;
  if (updates == 5)
    R32(TIM2) = 0;
}

int main(void)
{
  R32(RCC_APB1ENR) |= 1;
  R32(TIM_PSC) = 15;
  R32(TIM_ARR) = 999;
  R32(TIM_CCR1) = 0x12345678;
  line("psc", R32(TIM_PSC));
  line("arr", R32(TIM_ARR));
  line("ccr1", R32(TIM_CCR1));
  // The new divider is taken over, and the flag of that cleared.
  R32(TIM_EGR) = 1;
  R32(TIM_SR) = 0;
  line("sr", R32(TIM_SR) & 1);
  enable(28);
  R32(TIM_DIER) = 1;
  R32(TIM2) = 1;
  while (updates < 5)
    __asm__ volatile("wfi");
  line("updates", updates);
  line("flags", flags);
  line("cr1", R32(TIM2));
  line("sr", R32(TIM_SR) & 1);
  for (volatile int wait = 0; wait < 20000; wait++) {
  }
  line("still", updates);
  return 0;
}
