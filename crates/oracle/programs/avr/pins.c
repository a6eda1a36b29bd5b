/* An external interrupt at either edge, pin changes, and the pins read. */
#include "common.h"

static volatile uint8_t edges, changes, seen;

#ifdef __AVR_ATmega32U4__
#define EXTERNAL_vect INT2_vect
#define ENABLE (1 << INT2)
#else
#define EXTERNAL_vect INT0_vect
#define ENABLE (1 << INT0)
#endif

ISR(EXTERNAL_vect) { edges++; }
ISR(PCINT0_vect) { changes += PINB >> 4 & 1; }

int main(void) {
#ifdef __AVR_ATmega32U4__
    EICRA = 1 << ISC20;
#else
    EICRA = 1 << ISC00;
#endif
    EIMSK = ENABLE;
    PCMSK0 = 1 << 4;
    PCICR = 1 << PCIE0;
    DDRB = 1;
    sei();
    for (;;) {
        PORTB ^= 1;
        seen += edges + changes + (PIND >> 2 & 1);
    }
}
