/* Arduino Uno (ATmega328P): 16 MHz crystal; USART0, whose TXD is PD1, goes to the board's USB bridge. Start-up code, vectors and linker script
 * are avr-libc's. */
#include "board.h"

#if !defined(CHANNEL_UART)
#error "define CHANNEL_UART: there is no other channel"
#endif

#define USART_UBRR UBRR0
#define USART_UCSRA UCSR0A
#define USART_UCSRB UCSR0B
#define USART_UCSRC UCSR0C
#define USART_UDR UDR0
#define USART_U2X U2X0
#define USART_TXC TXC0
#define USART_UDRE UDRE0
#define USART_TXEN TXEN0
#define USART_UCSZ0 UCSZ00
#define USART_UCSZ1 UCSZ01
#include "usart.h"

/* The clock needs nothing: the fuses select the crystal and no division. */
void board_init(void) { usart_init(); }

void board_write(const char *text) { usart_write(text); }

_Noreturn void board_exit(void) {
    usart_drain();
    sleep_for_ever();
}
