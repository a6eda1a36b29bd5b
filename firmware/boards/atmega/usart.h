/* Transmitting by polling over an ATmega's USART: 115200 baud, 8N1, at 16 MHz with the clock doubled (U2X), as Arduino's
 * core sets it. UBRR 16 makes 117,647 baud, 2.1 % fast; UBRR 8 without U2X would be 3.5 % slow (the datasheets have both
 * in their tables of UBRR settings). A board's source defines USART_UDR, USART_TXEN and so on: the registers and bits
 * of the USART that it uses. */
#ifndef CYCLESCOPE_ATMEGA_USART_H
#define CYCLESCOPE_ATMEGA_USART_H

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdbool.h>
#include <stdint.h>

/** Whether anything has been sent: without it the transmitter never says that it is done. */
static bool usart_used;

static inline void usart_init(void) {
    USART_UBRR = 16;
    USART_UCSRA = _BV(USART_U2X);
    USART_UCSRC = _BV(USART_UCSZ1) | _BV(USART_UCSZ0); /* 8 bits, no parity, one stop bit */
    USART_UCSRB = _BV(USART_TXEN);
}

static inline void usart_write(const char *text) {
    for (; *text != '\0'; text += 1) {
        while ((USART_UCSRA & _BV(USART_UDRE)) == 0) {
        }
        USART_UDR = (uint8_t)*text;
        /* What the flag says of frames before this one is cleared: it is set again behind this one at the earliest. */
        USART_UCSRA = _BV(USART_U2X) | _BV(USART_TXC);
        usart_used = true;
    }
}

static inline void usart_drain(void) {
    while (usart_used && (USART_UCSRA & _BV(USART_TXC)) == 0) {
    }
}

/** Sleeps with interrupts masked: nothing wakes it but a reset. */
__attribute__((noreturn)) static inline void sleep_for_ever(void) {
    cli();
    set_sleep_mode(SLEEP_MODE_PWR_DOWN);
    sleep_enable();
    for (;;) {
        sleep_cpu();
    }
}

#endif
