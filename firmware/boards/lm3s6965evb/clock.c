/* The rate that QEMU's lm3s6965evb leaves SysTick at: 200 MHz over the 16 of the reset state of its RCC. */
#define SYSTICK_HZ 12500000u

#include "systick_clock.h"
