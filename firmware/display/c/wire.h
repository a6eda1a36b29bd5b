/* The wires to the display, of which -DMODE_… chooses one: I2C at 100 or 400 kHz, or SPI with four wires. Functions named
 * `wait_…` do nothing but wait. */
#ifndef CYCLESCOPE_DISPLAY_WIRE_H
#define CYCLESCOPE_DISPLAY_WIRE_H

#include <stdint.h>

#if defined(MODE_I2C_100)
#define WIRE_I2C_HZ 100000ul
#elif defined(MODE_I2C_400)
#define WIRE_I2C_HZ 400000ul
#elif !defined(MODE_SPI)
#error "define one of MODE_I2C_100, MODE_I2C_400, MODE_SPI"
#endif

/** The display's address on I2C. */
#define DISPLAY_ADDRESS 0x3Cu

/** What is sent, as the display's control byte says it on I2C; on SPI bit 6 is the level of D/C. */
#define WIRE_COMMANDS 0x00u
#define WIRE_DATA 0x40u

void wire_init(void);
/** Sends `length` bytes, 1 to 65,534, and returns when they have left. */
void wire_send(uint8_t control, const uint8_t *bytes, uint16_t length);

#endif
