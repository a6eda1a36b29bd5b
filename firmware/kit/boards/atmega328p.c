/* Arduino Uno at 16 MHz, its crystal; there is no flash to set up. */
#include "kit.h"

#include "board.h"

#include <avr/io.h>
#include <avr/pgmspace.h>

const char kit_board[] PROGMEM = "chip=atmega328p clock=16000000 serial=PD1@115200";

void kit_start(void) {
    board_init();
    TCCR1A = 0;
    TCCR1B = _BV(CS10); /* counts each cycle */
}

void kit_put(char byte) {
    const char text[] = {byte, '\0'};
    board_write(text);
}

void kit_memory(uint32_t flags) { (void)flags; }

_Noreturn void kit_end(void) { board_exit(); }
