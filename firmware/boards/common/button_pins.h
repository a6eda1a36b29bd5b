/* The button program's pins by what they are for. A board's header says before where they are (`BUTTON_PORT`,
 * `BUTTON_PIN`, and the same of `LED`, `A` and `B`), and includes its EXTI, its UART and its DMA. */
#ifndef CYCLESCOPE_BUTTON_PINS_H
#define CYCLESCOPE_BUTTON_PINS_H

#include "button_gpio.h"

/** Pins, both edges of the button, and what the mode's way of sending wants; enables the interrupts. */
void button_board_init(void);

static inline bool button_is_up(void) { return gpio_is_high(BUTTON_PORT, BUTTON_PIN); }

static inline void led_on(void) { gpio_rises(LED_PORT, LED_PIN); }
static inline void led_off(void) { gpio_falls(LED_PORT, LED_PIN); }
static inline void pin_a_rises(void) { gpio_rises(A_PORT, A_PIN); }
static inline void pin_a_falls(void) { gpio_falls(A_PORT, A_PIN); }
static inline void pin_b_rises(void) { gpio_rises(B_PORT, B_PIN); }
static inline void pin_b_falls(void) { gpio_falls(B_PORT, B_PIN); }

#endif
