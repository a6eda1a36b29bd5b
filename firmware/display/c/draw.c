#include "draw.h"

#include <string.h>

#include "font.h"

uint8_t picture[PICTURE_BYTES];

void draw_nothing(void) { memset(picture, 0, sizeof picture); }

static void draw_pixel(uint8_t x, uint8_t y) { picture[(uint16_t)(y / 8u) * WIDTH + x] |= (uint8_t)(1u << (y % 8u)); }

/** `bits` of column `x`, bit 0 in row `y`. */
static void draw_column(uint8_t x, uint8_t y, uint32_t bits) {
    uint8_t *byte = &picture[(uint16_t)(y / 8u) * WIDTH + x];

    for (bits <<= y % 8u; bits != 0; bits >>= 8, byte += WIDTH) {
        *byte |= (uint8_t)bits;
    }
}

void draw_text(uint8_t x, uint8_t y, const char *text) {
    for (; *text != '\0'; text += 1) {
        uint8_t glyph = (uint8_t)(*text - FONT_FIRST);

        for (uint8_t column = 0; column < FONT_WIDTH; column += 1, x += 1) {
            draw_column(x, y, FONT_COLUMN(glyph, column));
        }
    }
}

/* Bresenham's. */
void draw_line(uint8_t x0, uint8_t y0, uint8_t x1, uint8_t y1) {
    int16_t dx = x1 > x0 ? x1 - x0 : x0 - x1, dy = y1 > y0 ? y1 - y0 : y0 - y1;
    int8_t step_x = x1 > x0 ? 1 : -1, step_y = y1 > y0 ? 1 : -1;
    int16_t error = dx - dy;

    for (;;) {
        draw_pixel(x0, y0);
        if (x0 == x1 && y0 == y1) {
            return;
        }
        int16_t twice = 2 * error;
        if (twice > -dy) {
            error -= dy;
            x0 += step_x;
        }
        if (twice < dx) {
            error += dx;
            y0 += step_y;
        }
    }
}

void draw_row(uint8_t x0, uint8_t x1, uint8_t y) {
    uint8_t bit = (uint8_t)(1u << (y % 8u)), *byte = &picture[(uint16_t)(y / 8u) * WIDTH + x0];

    for (; x0 <= x1; x0 += 1, byte += 1) {
        *byte |= bit;
    }
}

void draw_box(uint8_t x, uint8_t y, uint8_t width, uint8_t height) {
    uint32_t bits = (1ul << height) - 1u;

    for (uint8_t column = 0; column < width; column += 1) {
        draw_column(x + column, y, bits);
    }
}
