/* Pins of the GPIO block that the STM32F4 and C0 share (RM0390 and RM0490, "GPIO registers"). */
#ifndef CYCLESCOPE_DISPLAY_STM32_PINS_H
#define CYCLESCOPE_DISPLAY_STM32_PINS_H

#include "cortex_m.h"

#define GPIO_MODER(port) REG32((port) + 0x00u)
#define GPIO_OTYPER(port) REG32((port) + 0x04u)
#define GPIO_OSPEEDR(port) REG32((port) + 0x08u)
#define GPIO_BSRR(port) REG32((port) + 0x18u)
#define GPIO_AFR(port, pin) REG32((port) + 0x20u + 4u * ((pin) / 8u))

static inline void pin_high(uint32_t port, uint32_t pin) { GPIO_BSRR(port) = 1u << pin; }
static inline void pin_low(uint32_t port, uint32_t pin) { GPIO_BSRR(port) = 1u << (pin + 16u); }

/** A pin of a peripheral. */
static inline void pin_alternate(uint32_t port, uint32_t pin, uint32_t function) {
    GPIO_OSPEEDR(port) |= 3u << 2u * pin;
    GPIO_AFR(port, pin) = (GPIO_AFR(port, pin) & ~(15u << 4u * (pin % 8u))) | (function << 4u * (pin % 8u));
    GPIO_MODER(port) = (GPIO_MODER(port) & ~(3u << 2u * pin)) | (2u << 2u * pin);
}

/** The same, with an open drain. */
static inline void pin_open_drain(uint32_t port, uint32_t pin, uint32_t function) {
    GPIO_OTYPER(port) |= 1u << pin;
    pin_alternate(port, pin, function);
}

/** An output, high. */
static inline void pin_output(uint32_t port, uint32_t pin) {
    pin_high(port, pin);
    GPIO_MODER(port) = (GPIO_MODER(port) & ~(3u << 2u * pin)) | (1u << 2u * pin);
}

#endif
