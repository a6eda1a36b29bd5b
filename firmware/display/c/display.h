/* The controller SSD1306 with a panel of 128 by 64 pixels (Solomon Systech, "SSD1306", rev. 1.1). */
#ifndef CYCLESCOPE_DISPLAY_DISPLAY_H
#define CYCLESCOPE_DISPLAY_DISPLAY_H

/** Turns the display on, upright, with its charge pump. */
void display_init(void);
/** Sends the whole picture. */
void display_flush(void);

#endif
