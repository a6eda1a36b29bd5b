/* A scan of an empty I2C, whose states are counted, and bytes over SPI. */
#include "common.h"

static volatile uint16_t sum = 1;

static uint8_t go(uint8_t control) {
    TWCR = 1 << TWINT | 1 << TWEN | control;
    while (!(TWCR & 1 << TWINT))
        ;
    return TWSR & 0xF8;
}

int main(void) {
    TWBR = 12;
    for (uint8_t address = 0x50; address < 0x54; address++) {
        sum += go(1 << TWSTA);
        TWDR = address << 1;
        sum += go(0);
        TWCR = 1 << TWINT | 1 << TWEN | 1 << TWSTO;
        while (TWCR & 1 << TWSTO)
            ;
    }
    TWCR = 0;
    DDRB = 0x2F;
    PORTB = 0x05;
    SPCR = 1 << SPE | 1 << MSTR;
    for (uint8_t byte = 0; byte < 5; byte++) {
        SPDR = byte * 7;
        while (!(SPSR & 1 << SPIF))
            ;
        sum += SPDR;
    }
    for (;;)
        sum++;
}
