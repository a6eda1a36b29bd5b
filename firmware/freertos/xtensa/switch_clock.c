/* Microseconds where the kernel owns CCOMPARE0: its count of ticks and CCOUNT. */
#include "switch_clock.h"
#include "FreeRTOS.h"
#include "board.h"
#include "task.h"

/* The one for handlers: the kernel asks from within its switch. Both are one load. */
uint32_t board_clock_ticks(void) { return ccount_micros(xTaskGetTickCountFromISR); }
