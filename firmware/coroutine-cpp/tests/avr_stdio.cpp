// What the tests need to run on an AVR: standard output on the USART, and an end that a simulator notices.
#include <stdio.h>

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

namespace {

int put(char character, FILE *) {
    while ((UCSR0A & _BV(UDRE0)) == 0) {
    }
    UDR0 = static_cast<uint8_t>(character);
    return 0;
}

struct opened {
    opened() {
        UCSR0B = _BV(TXEN0);
        fdevopen(put, nullptr);
    }
} at_start;

} // namespace

/// Runs on the way out of main and of exit.
extern "C" __attribute__((naked, used, section(".fini2"))) void sleep_for_ever() {
    cli();
    sleep_enable();
    for (;;) {
        sleep_cpu();
    }
}
