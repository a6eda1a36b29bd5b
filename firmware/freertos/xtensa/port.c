/* The port's C: a task's first frame, the tick, and the two occasions of a switch. */
#include "FreeRTOS.h"
#include "board.h"
#include "task.h"

_Static_assert(configTICK_RATE_HZ == CCOUNT_INTERRUPT_HZ && configCPU_CLOCK_HZ == BOARD_CORE_HZ,
               "ccount_micros.h counts the kernel's ticks");

/** The running task's block, which begins with its frame's address: the kernel's own, whose type it keeps to itself. */
extern void *volatile *volatile pxCurrentTCB;

uint32_t port_switch_wanted;

/* The first frame is a full one, as if the task had been interrupted before its first instruction. `top` is the stack's last word. */
StackType_t *pxPortInitialiseStack(StackType_t *top, TaskFunction_t code, void *parameters) {
    uintptr_t end = (uintptr_t)(top + 1) & ~(uintptr_t)(portBYTE_ALIGNMENT - 1);
    uint32_t *frame;

#if defined(__XTENSA_CALL0_ABI__)
    frame = (uint32_t *)(end - FRAME_BYTES);
    frame[FRAME_A(2) / 4] = (uint32_t)parameters;
#else
    /* As if called by CALL4, so the parameter is the caller's a6; the caller has no caller, which a return address of 0 says. */
    uint32_t caller = end - FRAME_BASE_SAVE;

    frame = (uint32_t *)(caller - FRAME_BASE_SAVE - FRAME_BYTES);
    frame[FRAME_A(1) / 4] = caller;
    frame[FRAME_A(4) / 4] = 0;
    frame[FRAME_A(6) / 4] = (uint32_t)parameters;
    frame[FRAME_LCOUNT / 4] = 0;
#endif
    frame[FRAME_A0 / 4] = 0;
    frame[FRAME_KIND / 4] = FRAME_FULL;
    frame[FRAME_PS / 4] = FRAME_TASK_PS;
    frame[FRAME_PC / 4] = (uint32_t)code;
    return frame;
}

BaseType_t xPortStartScheduler(void) {
    (void)xtensa_mask();
    ccount_start();
    xtensa_begin(*pxCurrentTCB);
}

void vPortEndScheduler(void) {}

/* Leaves the running task with `frame` and returns the frame of the one that the kernel chooses. */
static void *next_task(void *frame) {
    *pxCurrentTCB = frame;
    vTaskSwitchContext();
    return *pxCurrentTCB;
}

void vPortYield(void) { xtensa_switch(next_task); }

void *xtensa_interrupt(void *frame) {
    if ((xtensa_pending() & ~INTERRUPT_CCOMPARE0) != 0) {
        xtensa_fault();
    }
    ccount_next_tick();
    portYIELD_FROM_ISR(xTaskIncrementTick() != pdFALSE);
    if (port_switch_wanted == 0) {
        return frame;
    }
    port_switch_wanted = 0;
    return next_task(frame);
}
