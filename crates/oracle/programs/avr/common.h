/* What the oracle's programs share: names that are one on both ATmegas. */
#pragma once
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdint.h>

#ifdef __AVR_ATmega32U4__
#define UDR UDR1
#define UCSRA UCSR1A
#define UCSRB UCSR1B
#define UCSRC UCSR1C
#define UBRR UBRR1
#define RECEIVED_vect USART1_RX_vect
#define EMPTY_vect USART1_UDRE_vect
#define SENT_vect USART1_TX_vect
#else
#define UDR UDR0
#define UCSRA UCSR0A
#define UCSRB UCSR0B
#define UCSRC UCSR0C
#define UBRR UBRR0
#define RECEIVED_vect USART_RX_vect
#define EMPTY_vect USART_UDRE_vect
#define SENT_vect USART_TX_vect
#endif
