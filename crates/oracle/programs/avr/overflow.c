/* Overflows of Timers 0 and 1 at several prescalers, over code that works and over code that sleeps; the counters read. */
#include "common.h"

static volatile uint8_t ticks, wide;
static volatile uint16_t sum;

ISR(TIMER0_OVF_vect) { ticks++; }
ISR(TIMER1_OVF_vect) { wide++; }

static void wait(uint8_t clock, uint8_t count) {
    TCCR0B = clock;
    TCNT0 = 0;
    uint8_t end = ticks + count;
    while (ticks != end)
        sum = sum * 31 + TCNT0 + TCNT1;
}

int main(void) {
    TIMSK0 = 1 << TOIE0;
    TIMSK1 = 1 << TOIE1;
    TCCR1B = 1;
    sei();
    for (;;) {
        wait(1, 40);
        wait(2, 20);
        wait(3, 3);
        /* By polling. */
        cli();
        TIFR0 = 1 << TOV0;
        TCCR0B = 2;
        TCNT0 = 0;
        for (uint8_t turn = 0; turn < 3; turn++) {
            loop_until_bit_is_set(TIFR0, TOV0);
            TIFR0 = 1 << TOV0;
        }
        sei();
        TCCR0B = 3;
        TCNT0 = 0;
        set_sleep_mode(SLEEP_MODE_IDLE);
        for (uint8_t turn = 0; turn < 3; turn++)
            sleep_mode();
    }
}
