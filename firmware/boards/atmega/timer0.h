/* The own clock of both ATmegas; micros.h says what it counts. Timer 0's registers have the same names on both. */
#ifndef CYCLESCOPE_ATMEGA_TIMER0_H
#define CYCLESCOPE_ATMEGA_TIMER0_H

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

#include "board.h"

static volatile uint32_t overflows;

ISR(TIMER0_OVF_vect) { overflows += 1; }

void board_clock_start(void) {
    TCCR0B = 0;
    TCCR0A = 0; /* counts to 255 and begins anew, no pins */
    TCNT0 = 0;
    overflows = 0;
    TIFR0 = _BV(TOV0);
    TIMSK0 = _BV(TOIE0);
    TCCR0B = _BV(CS01) | _BV(CS00); /* clk/64 */
    sei();
}

uint32_t board_clock_ticks(void) {
    uint32_t high;
    uint8_t low;

    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        high = overflows;
        low = TCNT0;
        /* An overflow whose interrupt waits: unless the counter was read just before it, it counts. */
        if ((TIFR0 & _BV(TOV0)) != 0 && low != 255) {
            high += 1;
        }
    }
    return (high << 8 | low) * BOARD_CLOCK_RESOLUTION;
}

#endif
