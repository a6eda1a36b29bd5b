/* A serial port over USB (CDC ACM), polled, below the registers of three controllers. */
#ifndef CDC_H
#define CDC_H

#include <stdint.h>

#ifdef __AVR__
#include <avr/pgmspace.h>
#define CONSTANT PROGMEM
#define BYTE_OF(place) pgm_read_byte(place)
#else
#define CONSTANT
#define BYTE_OF(place) (*(place))
#endif

#define NOTICES 1
#define OUTPUT 2 /* from the host */
#define INPUT 3  /* to the host */

/* What a controller does for the stack. Data of endpoint 0 may lie in flash. */
void port_start(void);
void port_poll(void);
void port_send(uint8_t endpoint, const uint8_t *data, uint8_t length, uint8_t in_flash);
void port_stall(void);                 /* endpoint 0, until the next SETUP */
void port_receive_status(void);        /* endpoint 0: the host confirms with an empty packet */
void port_receive(uint8_t endpoint);   /* takes the next packet */
void port_address(uint8_t address, uint8_t confirmed);
void port_configure(void);

/* What a controller tells the stack. */
void cdc_reset(void);
void cdc_setup(const uint8_t *request); /* eight bytes */
void cdc_sent(uint8_t endpoint);
void cdc_received(uint8_t endpoint, const uint8_t *data, uint8_t length);

#endif
