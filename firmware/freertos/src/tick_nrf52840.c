/* The kernel's tick by TIMER0 of the nRF52840, since SysTick stands while the core sleeps. The port offers its set-up to be
 * replaced (vPortSetupTimerInterrupt is weak), and its handler of the tick to be called by another interrupt of the same
 * priority. */
#include "FreeRTOS.h"
#include "button_board.h"
#include "nvic.h"
#include "task.h"

void vPortSetupTimerInterrupt(void);
void vPortSetupTimerInterrupt(void) { tick_start(configTICK_RATE_HZ); }

void xPortSysTickHandler(void);

void Tick_Handler(void);
void Tick_Handler(void) {
    tick_acknowledge();
    xPortSysTickHandler();
}
