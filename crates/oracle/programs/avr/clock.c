/* Another clock for a timer that has counted. */
#include "common.h"

int main(void) {
    volatile uint8_t seen;
    TCCR0B = 1;
    for (uint8_t turn = 0; turn < 10; turn++)
        seen = turn;
    TCCR0B = 2;
    seen = TCNT0;
    for (;;)
        (void)seen;
}
