// Interrupts of the CLINT and, through the PLIC, of the UART. When they come is for each machine's clock to say; what they
// are is not.
#include "common.h"

static volatile uint32_t software, timer, external, claimed, iir;

static uint64_t now(void)
{
  uint32_t high, low;
  do {
    high = R32(CLINT + 0xBFFC);
    low = R32(CLINT + 0xBFF8);
  } while (high != R32(CLINT + 0xBFFC));
  return (uint64_t)high << 32 | low;
}

static void later(uint32_t ticks)
{
  uint64_t at = now() + ticks;
  R32(CLINT + 0x4004) = -1;
  R32(CLINT + 0x4000) = at;
  R32(CLINT + 0x4004) = at >> 32;
}

__attribute__((interrupt("machine"), aligned(4))) static void handler(void)
{
  switch (CSR_READ(mcause)) {
  case 0x80000003:
    software++;
    R32(CLINT) = 0;
    break;
  case 0x80000007:
    if (++timer < 5)
      later(100);
    else
      R32(CLINT + 0x4004) = -1;
    break;
  case 0x8000000B:
    external++;
    claimed = R32(PLIC + 0x200004);
    iir = R8(UART + 2);
    R8(UART + 1) = 0;
    R32(PLIC + 0x200004) = claimed;
    break;
  }
}

int main(void)
{
  CSR_WRITE(mtvec, (uint32_t)handler);
  later(100);
  CSR_WRITE(mie, 0x888);
  CSR_SET(mstatus, 8);
  while (timer < 5)
    __asm__ volatile("wfi");
  CSR_WRITE(mie, 0x808);
  line("timer", timer);
  // QEMU takes an interrupt at the next branch at the earliest.
  for (uint32_t i = 1; i <= 3; i++) {
    R32(CLINT) = 1;
    while (software != i) {
    }
  }
  line("software", software);
  R32(PLIC + 40) = 1;
  R32(PLIC + 0x2000) = 1 << 10;
  R8(UART + 2) = 7;
  R8(UART + 1) = 2;
  while (!external) {
  }
  line("external", external);
  line("claimed", claimed);
  line("iir", iir);
  R32(PLIC + 0x200000) = 7;
  R8(UART + 1) = 2;
  line("above the threshold", CSR_READ(mip) & 0x800);
  R8(UART + 3) = 0x83;
  R8(UART) = 0x5A;
  uint32_t latch = R8(UART);
  R8(UART + 3) = 3;
  line("divisor latch", latch);
  R8(UART + 7) = 0xA5;
  line("scratch", R8(UART + 7));
  line("status", R8(UART + 5));
  // Empty virtio slots, the first and the last.
  for (uint32_t slot = 0x10001000; slot <= 0x10008000; slot += 0x7000) {
    R32(slot + 0x14) = 1;
    R32(slot + 0x70) = 3;
    for (uint32_t offset = 0; offset < 0x200; offset += 4) {
      uint32_t value = R32(slot + offset);
      if (value)
        line("virtio", offset << 16 ^ value);
    }
  }
  return external == 1 ? 0 : 1;
}
