// The example on an ATmega328P at 16 MHz: Timer 1 counts 64 µs, the USART prints at 115200 baud.
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

#include "pulse.hpp"

namespace {

struct timer1 {
    using ticks = uint16_t;
    static ticks now() { return TCNT1; }
};

struct usart {
    void print(char character) {
        while ((UCSR0A & _BV(UDRE0)) == 0) {
        }
        UDR0 = static_cast<uint8_t>(character);
    }
    void print(const char *text) {
        for (; *text != '\0'; text += 1) {
            print(*text);
        }
    }
} serial;

PLY_COROUTINE(blinker, timer1) {
    PLY_LOOP() {
        PLY_DELAY(450);
        serial.print("blink\n");
    }
    PLY_END();
}

} // namespace

int main() {
    UBRR0 = 16; // 115200 baud with the clock doubled, 2.1 % fast
    UCSR0A = _BV(U2X0);
    UCSR0B = _BV(TXEN0);
    TCCR1B = _BV(CS12) | _BV(CS10); // a 1024th of the processor's clock
    TCNT1 = 65500;                  // the counter wraps under the first delay
    run_example<timer1>(serial, blinker);
    cli();
    sleep_enable();
    for (;;) {
        sleep_cpu();
    }
}
