// A controller without a target.
#include "common.h"

int main(void)
{
  R32(RCC_APB2ENR) |= SPI1EN;
  line("cr1", R32(SPI1));
  line("cr2", R32(SPI1 + 4));
  line("sr", R32(SPI1 + 8) & 3);
  line("crcpr", R32(SPI1 + 16));
  // SSM, SSI, SPE, MSTR.
  R32(SPI1) = 1 << 9 | 1 << 8 | 1 << 6 | 1 << 2;
  line("cr1", R32(SPI1));
  for (uint32_t byte = 0; byte < 4; byte++) {
    while (!(R32(SPI1 + 8) & 2)) {
    }
    R32(SPI1 + 12) = 0xA0 + byte;
    while (!(R32(SPI1 + 8) & 1)) {
    }
    line("dr", R32(SPI1 + 12));
    line("sr", R32(SPI1 + 8) & 3);
  }
  return 0;
}
