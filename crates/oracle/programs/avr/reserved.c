/* Bits that are reserved, written and read. */
#include "common.h"

int main(void) {
    volatile uint8_t seen;
    SMCR = 0xF0;
    seen = SMCR;
    for (;;)
        (void)seen;
}
