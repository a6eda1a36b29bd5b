/* Work without a pause for a benchmark: primes by division, a CRC, sorting, and the clock that ticks meanwhile. Ends by a sleep
 * that nothing can end. */
#include "common.h"

static volatile uint32_t ticks;

ISR(TIMER0_OVF_vect) { ticks++; }

static uint16_t primes(uint16_t below) {
    uint16_t count = 0;
    for (uint16_t number = 2; number < below; number++) {
        uint16_t divisor = 2;
        while (divisor * divisor <= number && number % divisor)
            divisor++;
        count += divisor * divisor > number;
    }
    return count;
}

static uint16_t crc(const uint8_t *bytes, uint16_t count) {
    uint16_t crc = 0xFFFF;
    while (count--) {
        crc ^= *bytes++;
        for (uint8_t bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xA001 : crc >> 1;
    }
    return crc;
}

static void sort(uint8_t *bytes, uint8_t count) {
    for (uint8_t at = 1; at < count; at++) {
        uint8_t byte = bytes[at], to = at;
        for (; to && bytes[to - 1] > byte; to--)
            bytes[to] = bytes[to - 1];
        bytes[to] = byte;
    }
}

int main(void) {
    static uint8_t bytes[200];
    volatile uint16_t sum = 0;
    TIMSK0 = 1 << TOIE0;
    TCCR0B = 3;
    sei();
    for (uint16_t turn = 0; turn < TURNS; turn++) {
        for (uint8_t at = 0; at < sizeof bytes; at++)
            bytes[at] = at * 73 + turn;
        sort(bytes, sizeof bytes);
        sum += crc(bytes, sizeof bytes) + primes(1000);
    }
    cli();
    set_sleep_mode(SLEEP_MODE_PWR_DOWN);
    sleep_mode();
    for (;;)
        ;
}
