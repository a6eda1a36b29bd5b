/* The EXTI whose edges are pending in one register, with the lines' ports in SYSCFG: STM32F4 and L4 (RM0390, RM0383 and
 * RM0351, "EXTI registers", "SYSCFG external interrupt configuration register"). A board's header defines EXTI_BASE,
 * SYSCFG_BASE and BUTTON_PIN, its line. */
#ifndef CYCLESCOPE_BUTTON_EXTI_H
#define CYCLESCOPE_BUTTON_EXTI_H

#include "cortex_m.h"

#define EXTI_IMR1 REG32(EXTI_BASE + 0x00u)
#define EXTI_RTSR1 REG32(EXTI_BASE + 0x08u)
#define EXTI_FTSR1 REG32(EXTI_BASE + 0x0Cu)
#define EXTI_PR1 REG32(EXTI_BASE + 0x14u)
#define SYSCFG_EXTICR(n) REG32(SYSCFG_BASE + 0x08u + 4u * (n))

/** Takes back what the button's edge has left pending. */
static inline void button_acknowledge(void) { EXTI_PR1 = 1u << BUTTON_PIN; }

/** Connects the button's line to its pin of `port`; 0 is port A. */
static inline void button_line_from(uint32_t port) {
    uint32_t shift = BUTTON_PIN % 4u * 4u;

    SYSCFG_EXTICR(BUTTON_PIN / 4u) = (SYSCFG_EXTICR(BUTTON_PIN / 4u) & ~(15u << shift)) | (port << shift);
}

#endif
