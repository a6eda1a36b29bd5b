/* Bytes of the EEPROM written and read back, by polling and by its interrupt. */
#include <avr/eeprom.h>
#include "common.h"

static volatile uint8_t ready;

ISR(EE_READY_vect) {
    ready++;
    EECR &= ~(1 << EERIE);
}

int main(void) {
    volatile uint8_t sum = eeprom_read_byte((const uint8_t *)5);
    for (uint8_t byte = 0; byte < 6; byte++)
        eeprom_write_byte((uint8_t *)(uint16_t)byte, byte * 3);
    sei();
    for (uint8_t byte = 0; byte < 4; byte++) {
        EECR |= 1 << EERIE;
        while (!ready)
            sum++;
        ready = 0;
        sum += eeprom_read_byte((const uint8_t *)(uint16_t)byte);
        eeprom_write_byte((uint8_t *)(uint16_t)(byte + 100), sum);
    }
    for (;;)
        sum++;
}
