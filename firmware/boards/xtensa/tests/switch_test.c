/*
 * FreeRTOS's port under preemption: tasks of one priority sort and call deeply while a fast tick slices their time, some give way
 * by themselves, and each checks what it alone has written. A register or a window that an interrupt or a switch loses shows as
 * a wrong sum. Built with time slicing.
 */
#include "FreeRTOS.h"
#include "board.h"
#include "task.h"

#define TASKS 4
#define ROUNDS 60u
/** Deeper than the windows of the largest core. */
#define DEPTH 24u
#define STACK_WORDS 1536

static StackType_t stacks[TASKS][STACK_WORDS];
static StaticTask_t blocks[TASKS];
static volatile uint32_t done;
static volatile uint32_t switches;

/* Keeps eight values alive over a call, so that all of a window is in use. */
static __attribute__((noinline)) uint32_t descend(uint32_t depth, uint32_t seed, int yields) {
    uint32_t a = seed * 3 + depth, b = a ^ 0x55AA55AAu, c = b + seed, d = c * 7, e = d ^ a, f = e + b, g = f ^ c, h = g + d;

    if (depth == 0) {
        /* Shifts by a number that is not constant, which stands in SAR. */
        for (unsigned left = 40; left != 0; left -= 1) {
            h = (h << (g & 15)) + (h >> (e & 31)) + left;
        }
        if (yields) {
            taskYIELD();
        }
        return a ^ h;
    }
    uint32_t below = descend(depth - 1, seed + h, yields);
    return (a + b + c + d + e + f + g + h) ^ (below << 1 | below >> 31);
}

static uint32_t expected_of_seed(uint32_t seed) { return descend(DEPTH, seed, 0); }

static __attribute__((noreturn)) void end(const char *what) {
    (void)xtensa_mask();
    board_write(what);
    board_exit();
}

static void task(void *parameter) {
    uint32_t number = (uint32_t)parameter;
    uint32_t sum = 0, check = 0;

    for (uint32_t round = 0; round < ROUNDS * 8; round += 1) {
        uint32_t seed = number * 1000003u + round;
        uint32_t first = descend(DEPTH, seed, number & 1);
        uint32_t second = expected_of_seed(seed);

        if (first != second) {
            end("switch: a task's registers changed\n");
        }
        sum = sum * 31 + first;
        check = check * 31 + second;
        switches += 1;
    }
    if (sum != check) {
        end("switch: a task's sum changed\n");
    }
    taskENTER_CRITICAL();
    done += 1;
    taskEXIT_CRITICAL();
    if (done == TASKS) {
        if (xTaskGetTickCount() < 20) {
            end("switch: too few ticks to say anything\n");
        }
        end("switch: right\n");
    }
    for (;;) {
        taskYIELD();
    }
}

int main(void) {
    board_init();
    for (uint32_t k = 0; k < TASKS; k += 1) {
        (void)xTaskCreateStatic(task, "task", STACK_WORDS, (void *)k, 1, stacks[k], &blocks[k]);
    }
    vTaskStartScheduler();
    return 0;
}
