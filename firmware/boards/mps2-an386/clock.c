/* The rate of QEMU's mps2-an386, which is that of the board's main clock (Arm DAI 0386, "Clocks"). */
#define SYSTICK_HZ 25000000u

#include "systick_clock.h"
