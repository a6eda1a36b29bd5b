/* The switch program as two FreeRTOS tasks; README.md says what the rows mean here. */
#include "FreeRTOS.h"
#include "switch.h"
#include "task.h"

/** Words of stack: as the primes program's, or the least where that is more. */
#define TIMING_STACK_WORDS (configMINIMAL_STACK_SIZE > 128 ? configMINIMAL_STACK_SIZE : 128)
#define OTHER_STACK_WORDS configMINIMAL_STACK_SIZE

/** Both tasks; above idle, so that idle never runs while one of them can. */
#define TASK_PRIORITY 1

static StackType_t timing_stack[TIMING_STACK_WORDS];
static StaticTask_t timing_tcb;
static StackType_t other_stack[OTHER_STACK_WORDS];
static StaticTask_t other_tcb;

#if SWITCH_PROFILED
static TaskHandle_t other;
#endif

/* One of the two tasks, which the timed one becomes for this row. */
static void scheduled(void) {
    for (unsigned turns = SWITCH_TURNS; turns != 0; turns -= 1) {
        switch_add();
        taskYIELD();
        switch_add();
        taskYIELD();
    }
}

static void other_task(void *parameters) {
    (void)parameters;
    for (;;) {
        switch_add();
        taskYIELD();
        switch_add();
        taskYIELD();
    }
}

static void timing_task(void *parameters) {
    static struct switch_row rows[] = {
        {.name = "EmptyLoop", .run = switch_floor},
        {.name = SWITCH_PROFILED ? "CoroutineSchedulingWithProfiler" : "CoroutineScheduling", .run = scheduled},
    };
    static const struct switch_size sizes[] = {
        {"task", sizeof(StaticTask_t)},
        {"stack", sizeof other_stack},
        {"channel", sizeof(StaticQueue_t) + sizeof(uint32_t)},
#if SWITCH_PROFILED
        {"profiler", sizeof(configRUN_TIME_COUNTER_TYPE)},
#endif
    };

    (void)parameters;
    switch_time(&rows[0]);
    switch_time(&rows[1]);
    /* From here on the other task must not run: nobody counts any more. */
    vTaskSuspendAll();
#if SWITCH_PROFILED
    if (ulTaskGetRunTimeCounter(other) == 0) {
        board_write("the run-time statistics did not count\n");
        board_exit();
    }
#endif
    SWITCH_REPORT_AND_EXIT("freertos", rows, sizes);
}

int main(void) {
    TaskHandle_t created;

    board_init();
    created = xTaskCreateStatic(other_task, "other", OTHER_STACK_WORDS, 0, TASK_PRIORITY, other_stack, &other_tcb);
#if SWITCH_PROFILED
    other = created;
#else
    (void)created;
#endif
    /* Of equal priorities the task created last starts first, so the other's first turn is the timed one's first yield. */
    (void)xTaskCreateStatic(timing_task, "timing", TIMING_STACK_WORDS, 0, TASK_PRIORITY, timing_stack, &timing_tcb);
    vTaskStartScheduler();
    return 0;
}
