/* Compare matches of Timers 0 and 1 in CTC mode, both units, with handlers that last. */
#include "common.h"

static volatile uint16_t a, b, c;

ISR(TIMER0_COMPA_vect) { a++; }
ISR(TIMER0_COMPB_vect) { b += a; }
ISR(TIMER1_COMPA_vect) {
    for (uint8_t turn = 0; turn < 20; turn++)
        c += turn ^ (uint8_t)a;
}

int main(void) {
    OCR0A = 124;
    OCR0B = 60;
    TCCR0A = 1 << WGM01;
    TIMSK0 = 1 << OCIE0A | 1 << OCIE0B;
    TCCR0B = 2;
    OCR1A = 1999;
    TIMSK1 = 1 << OCIE1A;
    TCCR1B = 1 << WGM12 | 2;
    sei();
    for (;;)
        c += a * 3;
}
