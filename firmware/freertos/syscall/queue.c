/* The syscall program with memory protection: a task without privilege sends to a queue of its own; README.md says what is
 * measured. */
#include "FreeRTOS.h"
#include "board.h"
#include "queue.h"
#include "result.h"
#include "task.h"

/** Words of stack; the caller's is a region of the MPU, of 512 bytes. */
#define CALLER_STACK_WORDS 128
#define PRINTER_STACK_WORDS 128

/** The printer comes first, so that it waits before anything is sent. */
#define PRINTER_PRIORITY 2
#define CALLER_PRIORITY 1

/** Values that fit into the queue; there is never more than one in it. */
#define QUEUE_LENGTH 4

/** What the caller may touch beside its stack: handles, which the kernel's wrappers take for what they stand for. */
struct handles {
    QueueHandle_t values;
    QueueHandle_t results;
    uint32_t unused[6]; /* the least that a region can have is 32 bytes */
};

#define USER_DATA(bytes) __attribute__((section(".user_data"), aligned(bytes)))

static struct handles handles USER_DATA(sizeof(struct handles));
static StackType_t caller_stack[CALLER_STACK_WORDS] USER_DATA(sizeof(StackType_t) * CALLER_STACK_WORDS);

static PRIVILEGED_DATA StaticTask_t caller_tcb;
static PRIVILEGED_DATA StaticTask_t printer_tcb;
static PRIVILEGED_DATA StackType_t printer_stack[PRINTER_STACK_WORDS];
static PRIVILEGED_DATA StaticQueue_t values_queue;
static PRIVILEGED_DATA StaticQueue_t results_queue;
static PRIVILEGED_DATA uint8_t values_storage[QUEUE_LENGTH * sizeof(uint32_t)];
static PRIVILEGED_DATA uint8_t results_storage[sizeof(struct result)];
static PRIVILEGED_DATA StaticTask_t idle_tcb;
static PRIVILEGED_DATA StackType_t idle_stack[configMINIMAL_STACK_SIZE];

/* A call of xQueueGenericSend that is known to the instruction: its arguments lie where they came, and the labels
 * stand at the call and where it returns. */
__attribute__((naked, noinline)) static BaseType_t send(QueueHandle_t queue, const void *item, TickType_t wait,
                                                        BaseType_t position) {
    (void)queue;
    (void)item;
    (void)wait;
    (void)position;
    __asm volatile("push {r4, lr}\n"
                   ".global cyclescope_call_send\n"
                   "cyclescope_call_send:\n"
                   "bl MPU_xQueueGenericSend\n"
                   ".global cyclescope_back_send\n"
                   "cyclescope_back_send:\n"
                   "pop {r4, pc}\n");
}

static void caller(void *parameters) {
    const struct handles *my = parameters;
    struct result result = {.calls = 0, .sum = 0};

    /* The first one warms up. */
    for (uint32_t value = 0; value <= CALLS; value += 1) {
        uint32_t back = ~value;

        if (send(my->values, &value, 0, queueSEND_TO_BACK) == pdPASS && xQueueReceive(my->values, &back, 0) == pdPASS &&
            back == value && !portIS_PRIVILEGED()) {
            result.calls += value != 0;
            result.sum += back;
        }
    }
    for (;;) {
        (void)xQueueSend(my->results, &result, portMAX_DELAY);
    }
}

static void printer(void *parameters) {
    const struct handles *all = parameters;
    struct result result;

    while (xQueueReceive(all->results, &result, portMAX_DELAY) != pdPASS) {
    }
    /* From here on the caller does not run: this task ends the program. */
    result_report("send=", &result);
}

int main(void) {
    static const TaskParameters_t restricted = {
        .pvTaskCode = caller,
        .pcName = "caller",
        .usStackDepth = CALLER_STACK_WORDS,
        .pvParameters = &handles,
        .uxPriority = CALLER_PRIORITY,
        .puxStackBuffer = caller_stack,
        .xRegions = {{&handles, sizeof handles, portMPU_REGION_READ_ONLY | portMPU_REGION_EXECUTE_NEVER}},
        .pxTaskBuffer = &caller_tcb,
    };
    TaskHandle_t created;

    board_init();
    handles.values = xQueueCreateStatic(QUEUE_LENGTH, sizeof(uint32_t), values_storage, &values_queue);
    handles.results = xQueueCreateStatic(1, sizeof(struct result), results_storage, &results_queue);
    (void)xTaskCreateRestrictedStatic(&restricted, &created);
    (void)xTaskCreateStatic(printer, "printer", PRINTER_STACK_WORDS, &handles, PRINTER_PRIORITY | portPRIVILEGE_BIT,
                            printer_stack, &printer_tcb);
    vTaskStartScheduler();
    return 0;
}

/* The kernel asks for it in its MPU ports, where the idle task is privileged, too. */
void vApplicationGetIdleTaskMemory(StaticTask_t **tcb, StackType_t **stack, configSTACK_DEPTH_TYPE *words) {
    *tcb = &idle_tcb;
    *stack = idle_stack;
    *words = configMINIMAL_STACK_SIZE;
}
