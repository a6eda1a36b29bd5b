/* The EXTI whose rising and falling edges are pending apart, with the lines' ports: STM32C0 and G0 (RM0490 and RM0444,
 * "EXTI registers"). A board's header defines BUTTON_PIN, its line. */
#ifndef CYCLESCOPE_BUTTON_EXTI_APART_H
#define CYCLESCOPE_BUTTON_EXTI_APART_H

#include "cortex_m.h"

#define EXTI_RTSR1 REG32(0x40021800u)
#define EXTI_FTSR1 REG32(0x40021804u)
#define EXTI_RPR1 REG32(0x4002180Cu)
#define EXTI_FPR1 REG32(0x40021810u)
#define EXTI_EXTICR(n) REG32(0x40021860u + 4u * (n))
#define EXTI_IMR1 REG32(0x40021880u)

/** Takes back what the button's edge, whichever it was, has left pending. */
static inline void button_acknowledge(void) {
    EXTI_RPR1 = 1u << BUTTON_PIN;
    EXTI_FPR1 = 1u << BUTTON_PIN;
}

/** Connects the button's line to its pin of `port`; 0 is port A. */
static inline void button_line_from(uint32_t port) {
    uint32_t shift = BUTTON_PIN % 4u * 8u;

    EXTI_EXTICR(BUTTON_PIN / 4u) = (EXTI_EXTICR(BUTTON_PIN / 4u) & ~(0xFFu << shift)) | (port << shift);
}

#endif
