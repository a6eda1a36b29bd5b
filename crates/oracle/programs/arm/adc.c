// The converter's registers.
#include "common.h"

enum { ADC1 = 0x40012000 };

int main(void)
{
  static const uint8_t offsets[] = { 0x04, 0x08, 0x0C, 0x10, 0x14, 0x18, 0x1C, 0x20, 0x24, 0x28, 0x2C, 0x30, 0x34, 0x38 };
  R32(RCC_APB2ENR) |= 1 << 8;
  line("sr", R32(ADC1));
  for (uint32_t index = 0; index < sizeof offsets; index++)
    line("reset", R32(ADC1 + offsets[index]));
  R32(ADC1 + 0x0C) = 0x12345;
  R32(ADC1 + 0x10) = 0x54321;
  R32(ADC1 + 0x24) = 0x7AB;
  R32(ADC1 + 0x28) = 0x123;
  R32(ADC1 + 0x2C) = 0x00300000;
  R32(ADC1 + 0x30) = 0x00012345;
  R32(ADC1 + 0x34) = 0x00054321;
  for (uint32_t index = 2; index < sizeof offsets; index++)
    line("written", R32(ADC1 + offsets[index]));
  return 0;
}
