/* Microseconds where the kernel owns SysTick: its count of ticks and the counter's value. */
#include "FreeRTOS.h"
#include "board.h"
#include "switch_clock.h"
#include "task.h"

_Static_assert(configTICK_RATE_HZ == SYSTICK_INTERRUPT_HZ && configCPU_CLOCK_HZ == BOARD_CORE_HZ,
               "systick_micros.h counts the kernel's ticks");

/* The one for handlers: the kernel asks from within its switch. Both are one load. */
uint32_t board_clock_ticks(void) { return systick_micros(xTaskGetTickCountFromISR); }
