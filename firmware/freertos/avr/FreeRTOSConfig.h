/*
 * FreeRTOS V11.2 on the ATmegas, for the switch program: what differs from ../src/FreeRTOSConfig.h has its reason here,
 * the rest has it there. The port is the kernel's ATMega323; its registers TIMSK and TIFR are called TIMSK1 and TIFR1 on
 * these parts, which images.toml tells it.
 */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include "board.h"

/* ---- Clocks ---- */

/** The crystal's. */
#define configCPU_CLOCK_HZ 16000000UL
/** As on the other boards: Timer 1, a compare match each millisecond. */
#define configTICK_RATE_HZ 1000
/** The reference recommends 16 bits for 8-bit machines: reading 32 takes four loads. */
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_16_BITS
#define configUSE_TICKLESS_IDLE 0

/** The program's own clock is Timer 0, apart from the tick. The kernel's last word before the first task starts it: the
 *  tick's timer stands still until then, so that an interrupt that the clock lets in finds no task to switch from. */
#define traceSTARTING_SCHEDULER(idle_tasks) board_clock_start()

/* ---- Scheduling ---- */

#define configUSE_PREEMPTION 1
/** Off, so that each switch is a yield. */
#define configUSE_TIME_SLICING 0
/** The port offers none: AVR counts no leading zeroes. */
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 0
/** 0 is idle, 1 the switch program's two tasks. */
#define configMAX_PRIORITIES 2
#define configIDLE_SHOULD_YIELD 1

/* ---- Memory ---- */

#define configSUPPORT_STATIC_ALLOCATION 1
#define configSUPPORT_DYNAMIC_ALLOCATION 0
#define configKERNEL_PROVIDED_STATIC_MEMORY 1
/** Bytes of the idle task's stack, and of the other's: a word of this port's stacks is a byte. A context is 35; the tick
 *  and what it calls want as much again where the task stands. */
#define configMINIMAL_STACK_SIZE 128
#define configSTACK_DEPTH_TYPE uint16_t
#define configMAX_TASK_NAME_LEN 8
#define configUSE_NEWLIB_REENTRANT 0

/* ---- Checks ---- */

#define configCHECK_FOR_STACK_OVERFLOW 0

/* ---- Features ---- */

#define configUSE_IDLE_HOOK 0
#define configUSE_TICK_HOOK 0
#define configUSE_TASK_NOTIFICATIONS 0
#define configUSE_MUTEXES 0
#define configUSE_TIMERS 0
#define configUSE_EVENT_GROUPS 0
#define configUSE_STREAM_BUFFERS 0
#define configUSE_TRACE_FACILITY 0
#define configQUEUE_REGISTRY_SIZE 0
#define configENABLE_BACKWARD_COMPATIBILITY 0

/** The kernel's profiler, on the program's own clock, which needs no second start. */
#if defined(MODE_PROFILED) || defined(MODE_USB_PROFILED)
#define configGENERATE_RUN_TIME_STATS 1
#define portCONFIGURE_TIMER_FOR_RUN_TIME_STATS()
#define portGET_RUN_TIME_COUNTER_VALUE() board_clock_ticks()
#else
#define configGENERATE_RUN_TIME_STATS 0
#endif

#endif
