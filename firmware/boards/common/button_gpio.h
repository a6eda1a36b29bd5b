/* Pins of the GPIO block that the STM32F4, C0, G0 and L4 share (RM0390, RM0383, RM0490, RM0444 and RM0351, "GPIO
 * registers"). */
#ifndef CYCLESCOPE_BUTTON_GPIO_H
#define CYCLESCOPE_BUTTON_GPIO_H

#include <stdbool.h>

#include "cortex_m.h"

#define GPIO_MODER(port) REG32((port) + 0x00u)
#define GPIO_PUPDR(port) REG32((port) + 0x0Cu)
#define GPIO_IDR(port) REG32((port) + 0x10u)
#define GPIO_BSRR(port) REG32((port) + 0x18u)

static inline void gpio_rises(uint32_t port, uint32_t pin) { GPIO_BSRR(port) = 1u << pin; }
static inline void gpio_falls(uint32_t port, uint32_t pin) { GPIO_BSRR(port) = 1u << (pin + 16u); }
static inline bool gpio_is_high(uint32_t port, uint32_t pin) { return (GPIO_IDR(port) >> pin & 1u) != 0; }

/** An output, low. */
static inline void gpio_output(uint32_t port, uint32_t pin) {
    gpio_falls(port, pin);
    GPIO_MODER(port) = (GPIO_MODER(port) & ~(3u << 2u * pin)) | (1u << 2u * pin);
}

/** An input, pulled up. */
static inline void gpio_input_up(uint32_t port, uint32_t pin) {
    GPIO_PUPDR(port) = (GPIO_PUPDR(port) & ~(3u << 2u * pin)) | (1u << 2u * pin);
    GPIO_MODER(port) &= ~(3u << 2u * pin);
}

#endif
