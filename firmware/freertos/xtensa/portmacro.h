/*
 * FreeRTOS on Xtensa cores with one privilege level, a port of this project's: the kernel's sources have none for GCC and these
 * cores, and the vendor's is tied to its framework. One source for both ABIs; ../../boards/xtensa has the frames and the two ways
 * between them that differ. The names are those that a port has to define.
 */
#ifndef PORTMACRO_H
#define PORTMACRO_H

#include <stdint.h>

#include "xtensa.h"

#define portCHAR char
#define portFLOAT float
#define portDOUBLE double
#define portLONG long
#define portSHORT short
#define portSTACK_TYPE uint32_t
#define portBASE_TYPE long

typedef portSTACK_TYPE StackType_t;
typedef long BaseType_t;
typedef unsigned long UBaseType_t;
typedef uint32_t TickType_t;

#define portMAX_DELAY ((TickType_t)0xFFFFFFFFu)
#define portTICK_TYPE_IS_ATOMIC 1
#define portTICK_PERIOD_MS ((TickType_t)1000 / configTICK_RATE_HZ)
#define portSTACK_GROWTH (-1)
#define portBYTE_ALIGNMENT 16
#define portPOINTER_SIZE_TYPE uint32_t

/* ---- Masking: all interrupts that may call the kernel; sections nest by a count in the task's own block ---- */

#define portDISABLE_INTERRUPTS() ((void)xtensa_mask())
#define portENABLE_INTERRUPTS() xtensa_unmask_all()
#define portCRITICAL_NESTING_IN_TCB 1
#define portENTER_CRITICAL() vTaskEnterCritical()
#define portEXIT_CRITICAL() vTaskExitCritical()
#define portSET_INTERRUPT_MASK_FROM_ISR() xtensa_mask()
#define portCLEAR_INTERRUPT_MASK_FROM_ISR(ps) xtensa_unmask(ps)

/** Level 0; the rest of PS stays. */
static inline void xtensa_unmask_all(void) {
    uint32_t ps;

    __asm volatile("rsil %0, 0" : "=a"(ps)::"memory");
}

void vTaskEnterCritical(void);
void vTaskExitCritical(void);

/* ---- Giving way: a call, which leaves only what a call must keep ---- */

void vPortYield(void);
#define portYIELD() vPortYield()

/** Nonzero inside an interrupt's handler, at the end of which a switch is made. */
extern uint32_t port_switch_wanted;
#define portEND_SWITCHING_ISR(wanted)       \
    do {                                    \
        if (wanted) {                       \
            port_switch_wanted = 1;         \
        }                                   \
    } while (0)
#define portYIELD_FROM_ISR(wanted) portEND_SWITCHING_ISR(wanted)

/* ---- Tasks ---- */

#define portTASK_FUNCTION_PROTO(function, parameters) void function(void *parameters)
#define portTASK_FUNCTION(function, parameters) void function(void *parameters)

/** Task selection by the count of leading zeroes, which both cores have as an instruction. */
#if configUSE_PORT_OPTIMISED_TASK_SELECTION == 1
#define portRECORD_READY_PRIORITY(priority, priorities) ((priorities) |= 1u << (priority))
#define portRESET_READY_PRIORITY(priority, priorities) ((priorities) &= ~(1u << (priority)))
#define portGET_HIGHEST_PRIORITY(top, priorities) ((top) = 31u - (uint32_t)__builtin_clz(priorities))
#endif

#define portMEMORY_BARRIER() __asm volatile("" ::: "memory")
#define portNOP() __asm volatile("nop")
#define portINLINE __inline
#define portFORCE_INLINE inline __attribute__((always_inline))

#endif
