/* The syscall program on RISC-V: a task alone gives way, and the scheduler finds the same task again. The kernel's port
 * for RISC-V runs tasks in M mode: ecall is how a task asks for the scheduler, and no privilege changes. README.md says what
 * is measured. */
#include "FreeRTOS.h"
#include "board.h"
#include "result.h"
#include "task.h"
#include "traps.h"

#define CALLER_STACK_WORDS 256
#define CALLER_PRIORITY 1

static StaticTask_t caller_tcb;
static StackType_t caller_stack[CALLER_STACK_WORDS];

#define LABEL(name) __asm volatile(".global " name "\n" name ":" ::: "memory")

/* taskYIELD is one instruction here, with the labels at it and behind it. */
__attribute__((noinline)) static void yield(void) {
    LABEL("cyclescope_trap_yield");
    taskYIELD();
    LABEL("cyclescope_back_yield");
}

static void caller(void *parameters) {
    struct result result = {.calls = 0, .sum = 0};

    (void)parameters;
    /* The first one warms up. */
    for (uint32_t value = 0; value <= CALLS; value += 1) {
        yield();
        if (xTaskGetCurrentTaskHandle() == (TaskHandle_t)&caller_tcb) {
            result.calls += value != 0;
            result.sum += value;
        }
    }
    taskDISABLE_INTERRUPTS();
    result_report("yield=", &result);
}

int main(void) {
    board_init();
    traps_init();
    (void)xTaskCreateStatic(caller, "caller", CALLER_STACK_WORDS, 0, CALLER_PRIORITY, caller_stack, &caller_tcb);
    vTaskStartScheduler();
    return 0;
}
