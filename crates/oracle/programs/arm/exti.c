// The lines' registers.
#include "common.h"

enum { EXTI = 0x40013C00, IMR = EXTI, EMR = EXTI + 4, RTSR = EXTI + 8, FTSR = EXTI + 12,
       PR = EXTI + 20 };

int main(void)
{
  line("imr", R32(IMR));
  R32(IMR) = 1;
  R32(RTSR) = 5;
  R32(FTSR) = 2;
  line("imr", R32(IMR));
  line("rtsr", R32(RTSR));
  line("ftsr", R32(FTSR));
  line("emr", R32(EMR));
  line("pr", R32(PR));
  return 0;
}
