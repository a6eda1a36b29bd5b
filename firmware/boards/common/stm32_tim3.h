/* TIM3 as a counter without interrupts, BOARD_CLOCK_HZ times a second: the own clock of the STM32 boards (RM0008 and
 * RM0390, "TIM2 to TIM5 registers"; the other parts' manuals say the same). A board's clock.c switches the timer's clock
 * on and says what it is. */
#ifndef CYCLESCOPE_STM32_TIM3_H
#define CYCLESCOPE_STM32_TIM3_H

#include "board.h"
#include "cortex_m.h"

#define TIM3_CR1 REG32(0x40000400u)
#define TIM_CR1_CEN (1u << 0)
#define TIM3_SR REG32(0x40000410u)
#define TIM3_EGR REG32(0x40000414u)
#define TIM_EGR_UG (1u << 0)
#define TIM3_CNT REG32(0x40000424u)
#define TIM3_PSC REG32(0x40000428u)
#define TIM3_ARR REG32(0x4000042Cu)

/** Starts the counter at 0; `clock_hz` is what feeds the timer. */
static inline void tim3_start(uint32_t clock_hz) {
    TIM3_CR1 = 0;
    TIM3_PSC = clock_hz / BOARD_CLOCK_HZ - 1;
    TIM3_ARR = 0xFFFFu;
    TIM3_EGR = TIM_EGR_UG; /* takes the prescaler over and clears the counter */
    TIM3_SR = 0;
    TIM3_CR1 = TIM_CR1_CEN;
}

uint32_t board_clock_ticks(void) { return TIM3_CNT & 0xFFFFu; }

#endif
