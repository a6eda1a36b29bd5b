// What QEMU does otherwise than the manual says, a line each.
#include "common.h"

enum { TIM2 = 0x40000000, ADC1 = 0x40012000, EXTI = 0x40013C00 };

static volatile uint32_t asked, empty;

void exti0(void)
{
  asked++;
  R32(EXTI + 20) = 1;
}

void usart1(void)
{
  empty = 1;
  R32(USART1 + CR1) &= ~(1u << 7);
}

int main(void)
{
  R32(RCC_APB1ENR) |= 1;
  R32(RCC_APB2ENR) |= SPI1EN | 1 << 8;
  uint32_t before = R32(TIM2 + 0x24);
  for (volatile int wait = 0; wait < 2000; wait++) {
  }
  line("counts", R32(TIM2 + 0x24) != before);
  R32(TIM2 + 0x14) = 1;
  line("uif", R32(TIM2 + 0x10) & 1);
  line("spi", R32(SPI1 + 8));
  R32(EXTI) = 1;
  enable(6);
  R32(EXTI + 16) = 1;
  __asm__ volatile("isb");
  line("swier", asked);
  R32(ADC1 + 8) = 1;
  for (volatile int wait = 0; wait < 100; wait++) {
  }
  R32(ADC1 + 8) = 1 | 1 << 30;
  for (volatile int wait = 0; wait < 1000; wait++) {
  }
  line("eoc", R32(ADC1) & 2);
  enable(37);
  R32(USART1 + CR1) |= 1 << 7;
  // A character's time and more.
  for (volatile int wait = 0; wait < 1000; wait++) {
  }
  R32(USART1 + CR1) &= ~(1u << 7);
  line("txe", empty);
  return 0;
}
