/* Bytes sent by polling and by interrupts at 115200, and what comes in sent back. */
#include "common.h"

/* Bits of the three control registers, which are the same for every port. */
enum { RECEIVE_IRQ = 1 << 7, SENT_IRQ = 1 << 6, EMPTY_IRQ = 1 << 5, RECEIVER = 1 << 4, TRANSMITTER = 1 << 3 };
enum { EMPTY = 5, DOUBLE_SPEED = 1 << 1, EIGHT_BITS = 3 << 1 };

static const char text[] = "by interrupts\n";
static volatile uint8_t at, sent, received[8], count;

ISR(EMPTY_vect) {
    UDR = text[at++];
    if (!text[at])
        UCSRB &= ~EMPTY_IRQ;
}
ISR(SENT_vect) { sent++; }
ISR(RECEIVED_vect) { received[count++ & 7] = UDR; }

static void put(uint8_t byte) {
    loop_until_bit_is_set(UCSRA, EMPTY);
    UDR = byte;
}

int main(void) {
    /* simavr goes by what the others say when this one is written. */
    UCSRA = DOUBLE_SPEED;
    UCSRC = EIGHT_BITS;
    UBRR = 16;
    UCSRB = RECEIVER | TRANSMITTER;
    for (const char *byte = "by polling\n"; *byte; byte++)
        put(*byte);
    UCSRB |= RECEIVE_IRQ | SENT_IRQ | EMPTY_IRQ;
    sei();
    for (uint8_t echoed = 0;;) {
        if (sent && echoed != count)
            put(received[echoed++ & 7] + 1);
    }
}
