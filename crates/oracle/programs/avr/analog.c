/* Conversions of ground, by interrupt and by polling. */
#include "common.h"

#ifdef __AVR_ATmega32U4__
#define GROUND 0x1F
#else
#define GROUND 0x0F
#endif

static volatile uint8_t ready;
static volatile uint16_t sum = 1;

ISR(ADC_vect) {
    ready = 1;
    sum += ADC;
}

int main(void) {
    ADMUX = 1 << REFS0 | GROUND;
    ADCSRA = 1 << ADEN | 1 << ADIE | 6;
    sei();
    for (uint8_t count = 0; count < 5; count++) {
        ADCSRA |= 1 << ADSC;
        while (!ready)
            ;
        ready = 0;
    }
    ADCSRA &= ~(1 << ADIE);
    for (uint8_t count = 0; count < 5; count++) {
        ADCSRA |= 1 << ADSC;
        while (ADCSRA & 1 << ADSC)
            ;
        sum += ADC;
    }
    for (;;)
        sum++;
}
