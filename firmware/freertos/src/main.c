/* The primes program as FreeRTOS tasks; README.md says what the modes mean here. */
#include "FreeRTOS.h"
#include "board.h"
#include "mode.h"
#include "primes.h"
#include "report.h"
#include "task.h"

/** Words of stack: the search keeps ten registers' worth of locals and calls the 64-bit division; the report's deepest
 *  call is shallower. The kernel's context takes 17 of a task that is switched out, 51 if it has used an FPU. */
#define SEARCH_STACK_WORDS 128
#define COUNTER_STACK_WORDS configMINIMAL_STACK_SIZE

/** Both tasks; above idle, so that idle never runs while one of them can. */
#define TASK_PRIORITY 1

static struct primes_result result;
static volatile uint32_t counter;

static StackType_t search_stack[SEARCH_STACK_WORDS];
static StaticTask_t search_tcb;

static void yield(void) { taskYIELD(); }

static void search_task(void *parameters) {
    (void)parameters;

    TickType_t from = xTaskGetTickCount();
    cyclescope_start();
    primes_search(&result, PRIMES_YIELDS ? yield : 0);
    cyclescope_stop();
    TickType_t to = xTaskGetTickCount();

    /* From here on the second task must not run, or the printed counter would not be that of the span. */
    vTaskSuspendAll();
    const struct primes_run run = {
        .contender = "freertos",
        .mode = PRIMES_MODE,
        .counter = counter,
        .elapsed = to - from,
        .clock_hz = configTICK_RATE_HZ,
    };
    primes_report(&run, &result);
    board_exit();
}

#if PRIMES_SECOND

static StackType_t counter_stack[COUNTER_STACK_WORDS];
static StaticTask_t counter_tcb;

static void counter_task(void *parameters) {
    (void)parameters;
    for (;;) {
        counter += 1;
        taskYIELD();
    }
}

#endif

int main(void) {
    board_init();
#if PRIMES_SECOND
    (void)xTaskCreateStatic(counter_task, "counter", COUNTER_STACK_WORDS, 0, TASK_PRIORITY, counter_stack,
                            &counter_tcb);
#endif
    /* Of equal priorities the task created last starts first, so the counter's first turn is the search's yield. */
    (void)xTaskCreateStatic(search_task, "search", SEARCH_STACK_WORDS, 0, TASK_PRIORITY, search_stack, &search_tcb);
    vTaskStartScheduler();
    return 0;
}
