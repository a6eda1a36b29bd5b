/* LiteX's timer0 in the place of mtime, by VexRiscv's external interrupt array; the kernel asks both of the application on
 * cores without mtime. */
#include "traps.h"

#include "FreeRTOS.h"
#include "task.h"

#define REG32(address) (*(volatile uint32_t *)(address))

#define TIMER0_LOAD REG32(0xF0002800u)
#define TIMER0_RELOAD REG32(0xF0002804u)
#define TIMER0_EN REG32(0xF0002808u)
#define TIMER0_EV_PENDING REG32(0xF0002818u)
#define TIMER0_EV_ENABLE REG32(0xF000281Cu)
/** timer0's line of the array. */
#define TIMER0_LINE (1u << 1)
/** The external interrupt's bit of mie. */
#define MEIE (1u << 11)
/** The array's mask, a CSR of VexRiscv's own. */
#define ARRAY_MASK "0xBC0"

void freertos_risc_v_trap_handler(void);

void traps_init(void) { __asm volatile("csrw mtvec, %0" ::"r"(freertos_risc_v_trap_handler)); }

void vPortSetupTimerInterrupt(void) {
    TIMER0_EN = 0;
    TIMER0_LOAD = configCPU_CLOCK_HZ / configTICK_RATE_HZ - 1;
    TIMER0_RELOAD = configCPU_CLOCK_HZ / configTICK_RATE_HZ - 1;
    TIMER0_EV_PENDING = 1;
    TIMER0_EV_ENABLE = 1;
    TIMER0_EN = 1;
    __asm volatile("csrs " ARRAY_MASK ", %0" ::"r"(TIMER0_LINE));
    __asm volatile("csrs mie, %0" ::"r"(MEIE));
}

void freertos_risc_v_application_interrupt_handler(void);
void freertos_risc_v_application_interrupt_handler(void) {
    if (TIMER0_EV_PENDING != 0) {
        TIMER0_EV_PENDING = 1;
        if (xTaskIncrementTick() != pdFALSE) {
            vTaskSwitchContext();
        }
    }
}
