/* The own clock of switch programs without a kernel: SysTick with its interrupt. */
#include "board.h"

static volatile uint32_t milliseconds;

void SysTick_Handler(void);
void SysTick_Handler(void) { milliseconds += 1; }

static uint32_t ticks(void) { return milliseconds; }

void board_clock_start(void) {
    milliseconds = 0;
    SYST_RVR = SYSTICK_PERIOD - 1;
    SYST_CVR = 0;
    SYST_CSR = SYST_CSR_ENABLE | SYST_CSR_TICKINT | SYST_CSR_CLKSOURCE_CPU;
}

uint32_t board_clock_ticks(void) { return systick_micros(ticks); }
