/* ATmega328P: TWI on PC5 and PC4; SPI on PB5 and PB3, with chip select PB2 and D/C PB1 (8271, "2-wire Serial Interface",
 * "SPI"). */
#include "wire.h"

#include <avr/io.h>

#define F_CPU 16000000ul

#if defined(WIRE_I2C_HZ)

void wire_init(void) {
    TWSR = 0;
    TWBR = (F_CPU / WIRE_I2C_HZ - 16u) / 2u;
}

static void wait_for_twi(void) {
    while ((TWCR & _BV(TWINT)) == 0) {
    }
}

static void wait_for_stop(void) {
    while ((TWCR & _BV(TWSTO)) != 0) {
    }
}

static void put(uint8_t byte) {
    TWDR = byte;
    TWCR = _BV(TWINT) | _BV(TWEN);
    wait_for_twi();
}

void wire_send(uint8_t control, const uint8_t *bytes, uint16_t length) {
    TWCR = _BV(TWINT) | _BV(TWSTA) | _BV(TWEN);
    wait_for_twi();
    put(DISPLAY_ADDRESS << 1);
    put(control);
    for (; length != 0; length -= 1, bytes += 1) {
        put(*bytes);
    }
    TWCR = _BV(TWINT) | _BV(TWSTO) | _BV(TWEN);
    wait_for_stop();
}

#else

#define SELECT PB2
#define DC PB1

void wire_init(void) {
    PORTB |= _BV(SELECT);
    DDRB |= _BV(PB5) | _BV(PB3) | _BV(SELECT) | _BV(DC);
    SPCR = _BV(SPE) | _BV(MSTR);
    SPSR = _BV(SPI2X); /* 16 MHz / 2 */
}

static void wait_for_spi(void) {
    while ((SPSR & _BV(SPIF)) == 0) {
    }
}

void wire_send(uint8_t control, const uint8_t *bytes, uint16_t length) {
    if (control == WIRE_DATA) {
        PORTB |= _BV(DC);
    } else {
        PORTB &= (uint8_t)~_BV(DC);
    }
    PORTB &= (uint8_t)~_BV(SELECT);
    for (; length != 0; length -= 1, bytes += 1) {
        SPDR = *bytes;
        wait_for_spi();
    }
    PORTB |= _BV(SELECT);
}

#endif
