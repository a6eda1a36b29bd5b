/*
 * FreeRTOS V11.2 for the primes, switch and button programs: each setting with its reason. "Book" is "Mastering the FreeRTOS
 * Real Time Kernel", "reference" the configuration pages of the kernel's own documentation. The rule is a production
 * build: what the documentation recommends for development only is off, and said to be off.
 */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#if defined(PROGRAM_SWITCH)
#include "switch_clock.h"
#elif !defined(PROGRAM_BUTTON)
#include "mode.h"
#endif

/* ---- Clocks ---- */

/** The CPU's clock, Hz, which also feeds SysTick, or CCOUNT. The boards for the oracle state none; these are the rates of QEMU's
 *  machines. */
#if defined(BOARD_STM32C031C6)
#define configCPU_CLOCK_HZ 48000000
#elif defined(BOARD_STM32F103C8)
#define configCPU_CLOCK_HZ 72000000
#elif defined(BOARD_STM32F446ZE)
#define configCPU_CLOCK_HZ 180000000
#elif defined(BOARD_STM32G071RB)
#define configCPU_CLOCK_HZ 64000000
#elif defined(BOARD_STM32G431KB)
#define configCPU_CLOCK_HZ 170000000
#elif defined(BOARD_STM32L476RG)
#define configCPU_CLOCK_HZ 80000000
#elif defined(BOARD_STM32F411CE)
#define configCPU_CLOCK_HZ 100000000
#elif defined(BOARD_NRF52840)
#define configCPU_CLOCK_HZ 64000000
#elif defined(BOARD_RP2040)
#define configCPU_CLOCK_HZ 125000000
#elif defined(BOARD_MK20DX256)
#define configCPU_CLOCK_HZ 96000000
#elif defined(BOARD_ESP8266)
#define configCPU_CLOCK_HZ 80000000
#elif defined(BOARD_ESP8266_160MHZ)
#define configCPU_CLOCK_HZ 160000000
#elif defined(BOARD_ESP32)
#define configCPU_CLOCK_HZ 240000000
#elif defined(BOARD_XTENSA_SIM) /* the port's tests, ../../boards/xtensa/tests */
#define configCPU_CLOCK_HZ 16000000
#elif defined(BOARD_MICROBIT)
#define configCPU_CLOCK_HZ 16000000
#elif defined(BOARD_LM3S6965EVB)
#define configCPU_CLOCK_HZ 12500000
#elif defined(BOARD_MPS2_AN386)
#define configCPU_CLOCK_HZ 25000000
#else
#error "define BOARD_ and the board's name"
#endif

/** 1 kHz, the rate of most of the kernel's demos; the reference advises against a faster tick than is needed. */
#define configTICK_RATE_HZ 1000
/** 32 bits, as the reference recommends for 32-bit machines: reading the tick count is then a single load. */
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
/** Tickless idle off: the idle task does not run while primes are searched, and it would take SysTick apart. */
#define configUSE_TICKLESS_IDLE 0

/* ---- Scheduling ---- */

/** The preemptive scheduler, the kernel's default. */
#define configUSE_PREEMPTION 1
/** Round robin at each tick among tasks of equal priority. The kernel's default is 1; in primes it is the subject: off
 *  in plain, one and two, so that each switch is a yield, and on in two-sliced. */
#if defined(MODE_TWO_SLICED) || defined(PROGRAM_BUTTON)
#define configUSE_TIME_SLICING 1
#else
#define configUSE_TIME_SLICING 0
#endif
/** Task selection by CLZ where the port offers it, which is the default of its ports for Armv7-M and what the
 *  reference recommends there; on Xtensa it is NSAU. Armv6-M has no CLZ. */
#if defined(__ARM_FEATURE_CLZ) || defined(__XTENSA__)
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 1
#else
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 0
#endif
/** As few as are used, as the reference advises (each costs a list): 0 is idle, 1 is primes and switch; LED, serial and button task
 *  are 1 to 3. */
#if defined(PROGRAM_BUTTON)
#define configMAX_PRIORITIES 4
#else
#define configMAX_PRIORITIES 2
#endif
/** The idle task yields to tasks of its own priority; there are none. The kernel's default. */
#define configIDLE_SHOULD_YIELD 1

/* ---- Memory ---- */

/** Static allocation only: production code on 12 KiB of RAM; no heap_n.c is linked. */
#define configSUPPORT_STATIC_ALLOCATION 1
#define configSUPPORT_DYNAMIC_ALLOCATION 0
/** The kernel brings the idle task's memory itself. */
#define configKERNEL_PROVIDED_STATIC_MEMORY 1
/** Words of the idle task's stack. The ARM_CM0 demos take 60 to 128; the saved context alone is 17 words. With an FPU
 *  it may be 51, and the ARM_CM4F demos take 128 and more. On Xtensa interrupts run on the task's stack; with windows each
 *  function's frame has room for its caller's registers besides. */
#if defined(__XTENSA_WINDOWED_ABI__)
#define configMINIMAL_STACK_SIZE 256
#elif defined(__ARM_FP) || defined(__XTENSA__)
#define configMINIMAL_STACK_SIZE 128
#else
#define configMINIMAL_STACK_SIZE 64
#endif
/** Stack depths in words, counted in 16 bits (the reference's default width). */
#define configSTACK_DEPTH_TYPE uint16_t
/** The shortest that still tells two tasks apart in a debugger; the default is 16 bytes a task. */
#define configMAX_TASK_NAME_LEN 8
/** No newlib reentrancy structure a task: primes call nothing of newlib that keeps state, and of the button program's
 *  tasks only one calls snprintf. */
#define configUSE_NEWLIB_REENTRANT 0

/* ---- Checks ---- */

/* configASSERT stays undefined: the reference recommends it for development and counts its price in size and time,
 * which leaves it out of a production build. The check of the installed handlers is made of assertions and goes
 * with them. */
#define configCHECK_HANDLER_INSTALLATION 0
/** Off: the reference confines it to development and test, because it lengthens each context switch. */
#define configCHECK_FOR_STACK_OVERFLOW 0

/* ---- Features ---- */

/* What the button program uses and primes do not: notifications, delays, and a hook that sleeps. Queues need no
 * setting but their file. */
#if defined(PROGRAM_BUTTON)
#define configUSE_IDLE_HOOK 1
#define configUSE_TASK_NOTIFICATIONS 1
#define INCLUDE_xTaskDelayUntil 1
#else
#define configUSE_IDLE_HOOK 0
#define configUSE_TASK_NOTIFICATIONS 0
#endif

/* What neither does. */
#define configUSE_TICK_HOOK 0
#define configUSE_MUTEXES 0
#define configUSE_TIMERS 0
#define configUSE_EVENT_GROUPS 0
#define configUSE_STREAM_BUFFERS 0
#define configUSE_TRACE_FACILITY 0
#define configQUEUE_REGISTRY_SIZE 0
#define configENABLE_BACKWARD_COMPATIBILITY 0

/** The kernel's profiler: at each switch it adds the time since the last one to the task's. Its clock should run at ten
 *  times the tick at least, says the reference; here it is the program's own, which already counts microseconds by the
 *  tick and SysTick, so no timer of its own has to be started. */
#if defined(PROGRAM_SWITCH) && (defined(MODE_PROFILED) || defined(MODE_160MHZ_PROFILED))
#define configGENERATE_RUN_TIME_STATS 1
#define portCONFIGURE_TIMER_FOR_RUN_TIME_STATS()
#define portGET_RUN_TIME_COUNTER_VALUE() board_clock_ticks()
/* Without configASSERT one of the kernel's functions for statistics leaves a variable that nobody reads. */
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#else
#define configGENERATE_RUN_TIME_STATS 0
#endif

/* ---- Port ---- */

/** The memory protection unit is left alone (the STM32C031 has one; this is the plain port). The port wants the
 *  macro defined either way. */
#define configENABLE_MPU 0

#if __ARM_ARCH >= 7

/** Bits of priority that the part implements: 4 on the STM32s and the MK20, 3 on the nRF52840, the LM3S6965 and the MPS2. */
#if defined(BOARD_NRF52840) || defined(BOARD_LM3S6965EVB) || defined(BOARD_MPS2_AN386)
#define configPRIO_BITS 3
#else
#define configPRIO_BITS 4
#endif
/** Interrupts of priority 5 and below may call the kernel, as in the kernel's demos for these ports; those above are
 *  never masked by it. The port writes this into BASEPRI in its critical sections. */
#define configMAX_SYSCALL_INTERRUPT_PRIORITY (5 << (8 - configPRIO_BITS))
/** The kernel's own interrupts have the lowest priority, as the reference demands. The port sets it by itself; the
 *  macro is there for application code. */
#define configKERNEL_INTERRUPT_PRIORITY (((1 << configPRIO_BITS) - 1) << (8 - configPRIO_BITS))

/* Direct routing: the port's handlers stand in the vector table under the table's own names. */
#define vPortSVCHandler SVC_Handler
#define xPortPendSVHandler PendSV_Handler
#define xPortSysTickHandler SysTick_Handler

#endif

#endif
