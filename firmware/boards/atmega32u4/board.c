/* Arduino Leonardo (ATmega32U4): 16 MHz crystal; USART1, whose TXD is PD3, goes to pin 1. USB stays off. Start-up code, vectors and linker script
 * are avr-libc's. */
#include "board.h"

#if !defined(CHANNEL_UART)
#error "define CHANNEL_UART: there is no other channel"
#endif

#define USART_UBRR UBRR1
#define USART_UCSRA UCSR1A
#define USART_UCSRB UCSR1B
#define USART_UCSRC UCSR1C
#define USART_UDR UDR1
#define USART_U2X U2X1
#define USART_TXC TXC1
#define USART_UDRE UDRE1
#define USART_TXEN TXEN1
#define USART_UCSZ0 UCSZ10
#define USART_UCSZ1 UCSZ11
#include "usart.h"

/* The clock needs nothing: the fuses select the crystal and no division. */
void board_init(void) { usart_init(); }

void board_write(const char *text) { usart_write(text); }

_Noreturn void board_exit(void) {
    usart_drain();
    sleep_for_ever();
}
