/* The PLL of the ATmega32U4 started and waited for. */
#include "common.h"

int main(void) {
    volatile uint16_t turns = 0;
    PLLCSR = 1 << PINDIV;
    PLLCSR |= 1 << PLLE;
    while (!(PLLCSR & 1 << PLOCK))
        turns++;
    for (;;)
        turns += PLLCSR;
}
