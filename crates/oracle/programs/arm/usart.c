// Sends by polling; what comes is taken by an interrupt and sent back changed.
#include "common.h"

static volatile char taken[8];
static volatile uint32_t count;

void usart1(void)
{
  uint32_t status = R32(USART1 + SR);
  if (status & RXNE) {
    char character = R32(USART1 + DR);
    if (count < sizeof taken)
      taken[count++] = character;
  }
}

int main(void)
{
  print("from a loop\n");
  line("cr1", R32(USART1 + CR1));
  line("cr2", R32(USART1 + 16));
  line("cr3", R32(USART1 + 20));
  line("sr", R32(USART1 + SR) & (RXNE | 0xF));
  enable(37);
  R32(USART1 + CR1) |= 1 << 5;
  print("ready\n");
  while (count < sizeof taken) {
  }
  R32(USART1 + CR1) &= ~(1u << 5);
  for (uint32_t index = 0; index < sizeof taken; index++)
    put(taken[index] ^ 0x20);
  put('\n');
  line("sr", R32(USART1 + SR) & (RXNE | 0xF));
  return 3;
}
