#include "display.h"

#include "draw.h"
#include "wire.h"

void display_init(void) {
    static const uint8_t commands[] = {
        0xAE,       /* off */
        0xD5, 0x80, /* clock */
        0xA8, 63,   /* rows */
        0xD3, 0,    /* offset */
        0x40,       /* start line */
        0x8D, 0x14, /* charge pump */
        0x20, 0,    /* horizontal addressing */
        0xDA, 0x12, /* COM lines of a panel of 64 rows */
        0xA1, 0xC8, /* upright */
        0x81, 0x5F, /* contrast */
        0xD9, 0x22, /* pre-charge */
        0xDB, 0x20, /* deselect level */
        0xA4, 0xA6, /* the memory, not inverted */
        0x2E,       /* no scrolling */
        0xAF,       /* on */
    };

    wire_send(WIRE_COMMANDS, commands, sizeof commands);
}

void display_flush(void) {
    static const uint8_t window[] = {0x21, 0, WIDTH - 1u, 0x22, 0, HEIGHT / 8u - 1u};

    wire_send(WIRE_COMMANDS, window, sizeof window);
    wire_send(WIRE_DATA, picture, sizeof picture);
}
