/*
 * Three tasks of FreeRTOS, of which the highest waits for what the lowest holds while the middle one computes: an inversion of
 * priorities without a bound where the lock is a semaphore, and with one where it is a mutex (with MUTEX), whose holder inherits.
 * A task that runs first makes another, whose stack comes from the heap, and ends. For an STM32F446 at 16 MHz.
 */
#include <stdint.h>

#include "FreeRTOS.h"
#include "semphr.h"
#include "task.h"

#define STACK_WORDS 128
/** An odd number of words, which no alignment of a stack's end makes up for. */
#define HIGH_STACK_WORDS 131
#define LATE_STACK_WORDS 101

static StackType_t low_stack[STACK_WORDS], middle_stack[STACK_WORDS], high_stack[HIGH_STACK_WORDS],
    first_stack[STACK_WORDS];
static StaticTask_t low_tcb, middle_tcb, high_tcb, first_tcb;
static StaticSemaphore_t lock_storage;
static SemaphoreHandle_t lock;

#if defined(HOOKS)
volatile unsigned long hooks[6];
#endif

/** Computes for about so many milliseconds of 16,000 cycles. */
static void compute(uint32_t milliseconds) {
    for (uint32_t turns = milliseconds * 4000; turns > 0; turns -= 1) {
        __asm volatile("nop");
    }
}

static void low(void *parameters) {
    (void)parameters;
    for (;;) {
        (void)xSemaphoreTake(lock, portMAX_DELAY);
        compute(4);
        (void)xSemaphoreGive(lock);
        vTaskDelay(1);
    }
}

static void middle(void *parameters) {
    (void)parameters;
    for (;;) {
        vTaskDelay(7);
        compute(6);
    }
}

static void high(void *parameters) {
    (void)parameters;
    for (;;) {
        vTaskDelay(5);
        (void)xSemaphoreTake(lock, portMAX_DELAY);
        compute(1);
        (void)xSemaphoreGive(lock);
    }
}

static void late(void *parameters) {
    (void)parameters;
    for (;;) {
        vTaskDelay(11);
    }
}

static void first(void *parameters) {
    (void)parameters;
    (void)xTaskCreate(late, "late", LATE_STACK_WORDS, 0, 2, 0);
    vTaskDelete(0);
}

void vApplicationIdleHook(void);
void vApplicationIdleHook(void) { __asm volatile("wfi" ::: "memory"); }

int main(void) {
#if defined(MUTEX)
    lock = xSemaphoreCreateMutexStatic(&lock_storage);
#else
    lock = xSemaphoreCreateBinaryStatic(&lock_storage);
    (void)xSemaphoreGive(lock);
#endif
    (void)xTaskCreateStatic(low, "low", STACK_WORDS, 0, 1, low_stack, &low_tcb);
    (void)xTaskCreateStatic(middle, "middle", STACK_WORDS, 0, 2, middle_stack, &middle_tcb);
    (void)xTaskCreateStatic(high, "high", HIGH_STACK_WORDS, 0, 3, high_stack, &high_tcb);
    (void)xTaskCreateStatic(first, "first", STACK_WORDS, 0, 4, first_stack, &first_tcb);
    vTaskStartScheduler();
    return 0;
}
