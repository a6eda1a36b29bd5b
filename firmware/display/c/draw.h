/* Drawing into the picture that a display of 128 by 64 pixels keeps: 8 pages of 128 columns, each byte 8 rows with the
 * uppermost in bit 0. What lies outside is not drawn by the caller. */
#ifndef CYCLESCOPE_DISPLAY_DRAW_H
#define CYCLESCOPE_DISPLAY_DRAW_H

#include <stdint.h>

#define WIDTH 128u
#define HEIGHT 64u
#define PICTURE_BYTES (WIDTH * HEIGHT / 8u)

extern uint8_t picture[PICTURE_BYTES];

void draw_nothing(void);
/** A text whose glyphs' upper left corner is at `x`, `y`. */
void draw_text(uint8_t x, uint8_t y, const char *text);
void draw_line(uint8_t x0, uint8_t y0, uint8_t x1, uint8_t y1);
/** The pixels from `x0` to `x1` of row `y`. */
void draw_row(uint8_t x0, uint8_t x1, uint8_t y);
/** A filled box. */
void draw_box(uint8_t x, uint8_t y, uint8_t width, uint8_t height);

#endif
