/* SysTick as the button program's tick, on boards whose header names no other. */
#ifndef CYCLESCOPE_BUTTON_TICK_H
#define CYCLESCOPE_BUTTON_TICK_H

#include "button_board.h"
#include "nvic.h"

#if !defined(Tick_Handler)

#define Tick_Handler SysTick_Handler

/** Starts the tick, `hz` times a second. */
static inline void tick_start(uint32_t hz) {
    systick_priority(TICK_PRIORITY);
    SYST_RVR = BUTTON_CORE_HZ / hz - 1;
    SYST_CVR = 0;
    SYST_CSR = SYST_CSR_ENABLE | SYST_CSR_TICKINT | SYST_CSR_CLKSOURCE_CPU;
}

/** SysTick takes back by itself what it has left pending. */
static inline void tick_acknowledge(void) {}

#endif

#endif
