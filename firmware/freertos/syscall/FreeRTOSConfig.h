/*
 * FreeRTOS V11.2 for the syscall program: each setting with its reason. "Reference" is the configuration pages of the
 * kernel's own documentation, "MPU page" its page on memory protection. As in ../src the rule is a production build: what
 * the documentation recommends for development only is off.
 */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

/* ---- Clocks ---- */

/** What feeds the tick's timer, Hz. */
#if defined(BOARD_STM32F446ZE)
#define configCPU_CLOCK_HZ 180000000
#elif defined(BOARD_CORTEX_M3)
#define configCPU_CLOCK_HZ 12500000
#elif defined(BOARD_IBEX)
#define configCPU_CLOCK_HZ 50000000
#elif defined(BOARD_LITEX_VEXRISCV)
#define configCPU_CLOCK_HZ 1000000
#else
#error "define BOARD_ and the board's name"
#endif

/** 1 kHz, the rate of most of the kernel's demos; at the 1 MHz of LiteX's simulated SoC a tick's handler would take half of
 *  the time, hence 100 Hz there. */
#if defined(BOARD_LITEX_VEXRISCV)
#define configTICK_RATE_HZ 100
#else
#define configTICK_RATE_HZ 1000
#endif
/** 32 bits, as the reference recommends for 32-bit machines. */
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#define configUSE_TICKLESS_IDLE 0

/* ---- Scheduling ---- */

/** The kernel's defaults. */
#define configUSE_PREEMPTION 1
#define configUSE_TIME_SLICING 1
#define configIDLE_SHOULD_YIELD 1
/** As few as are used: idle, the task that calls, the task that prints. */
#define configMAX_PRIORITIES 3
/** Task selection by CLZ is what the reference recommends where there is such an instruction. RV32IMC has none, and the
 *  compiler's helper for it would be longer than the generic search. */
#if defined(__ARM_FEATURE_CLZ)
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 1
#else
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 0
#endif

/* ---- Memory ---- */

/** Static allocation only, as in ../src. */
#define configSUPPORT_STATIC_ALLOCATION 1
#define configSUPPORT_DYNAMIC_ALLOCATION 0
/** The kernel brings the idle task's memory itself, but not in its MPU ports. */
#if defined(__arm__)
#define configKERNEL_PROVIDED_STATIC_MEMORY 0
#else
#define configKERNEL_PROVIDED_STATIC_MEMORY 1
#endif
/** Words of the idle task's stack, as in the demos of the ports. */
#define configMINIMAL_STACK_SIZE 128
#define configSTACK_DEPTH_TYPE uint32_t
#define configMAX_TASK_NAME_LEN 8
#define configUSE_NEWLIB_REENTRANT 0

/* ---- Checks: configASSERT, the installed handlers and stacks are for development, says the reference ---- */

#define configCHECK_HANDLER_INSTALLATION 0
#define configCHECK_FOR_STACK_OVERFLOW 0

/* ---- Features ---- */

#define configUSE_TASK_NOTIFICATIONS 0
#define configUSE_IDLE_HOOK 0
#define configUSE_TICK_HOOK 0
#define configUSE_MUTEXES 0
#define configUSE_TIMERS 0
#define configUSE_EVENT_GROUPS 0
#define configUSE_STREAM_BUFFERS 0
#define configUSE_TRACE_FACILITY 0
#define configGENERATE_RUN_TIME_STATS 0
#define configQUEUE_REGISTRY_SIZE 0
#define configENABLE_BACKWARD_COMPATIBILITY 0

/** Tasks that wait without a limit are suspended by the kernel, which wants this. */
#define INCLUDE_vTaskSuspend 1
/** So that a task can ask who it is. */
#define INCLUDE_xTaskGetCurrentTaskHandle 1

#if defined(__arm__)

/* ---- Ports ARM_CM3_MPU and ARM_CM4_MPU ---- */

#define configENABLE_MPU 1
/** System calls by SVC number, run on a stack of the kernel's: the second version of the wrappers, which is the default
 *  and the one that the MPU page recommends. */
#define configUSE_MPU_WRAPPERS_V1 0
/** Words of that stack, one for each task; the demos take as many. */
#define configSYSTEM_CALL_STACK_SIZE 128
/** Tasks, queues and so on that tasks without privilege may hold handles of: two tasks, the idle task and two queues, as the
 *  MPU page says that each has an entry of the pool. */
#define configPROTECTED_KERNEL_OBJECT_POOL_SIZE 8
/** The default: whoever holds a handle may use it. */
#define configENABLE_ACCESS_CONTROL_LIST 0
/** As the ports recommend: nobody but the kernel raises privilege, and tasks without it do not mask interrupts. */
#define configENFORCE_SYSTEM_CALLS_FROM_KERNEL_ONLY 1
#define configALLOW_UNPRIVILEGED_CRITICAL_SECTIONS 0
/** Both parts have the eight regions that the ports take for granted. */
#define configTOTAL_MPU_REGIONS 8

/** Bits of priority that the part implements. */
#if defined(BOARD_STM32F446ZE)
#define configPRIO_BITS 4
#else
#define configPRIO_BITS 3
#endif
/** As in the kernel's demos: interrupts of priority 5 and below may call the kernel, its own have the lowest. */
#define configMAX_SYSCALL_INTERRUPT_PRIORITY (5 << (8 - configPRIO_BITS))
#define configKERNEL_INTERRUPT_PRIORITY (((1 << configPRIO_BITS) - 1) << (8 - configPRIO_BITS))

/* Direct routing: the port's handlers stand in the vector table under the table's own names. */
#define vPortSVCHandler SVC_Handler
#define xPortPendSVHandler PendSV_Handler
#define xPortSysTickHandler SysTick_Handler

#else

/* ---- Port RISC-V ---- */

#define configENABLE_MPU 0
/** Words of the stack that traps run on. */
#define configISR_STACK_SIZE_WORDS 256

/** mtime and mtimecmp; LiteX's SoC has neither, so its board brings a timer of its own. */
#if defined(BOARD_IBEX)
#define configMTIME_BASE_ADDRESS 0x00030000UL
#define configMTIMECMP_BASE_ADDRESS 0x00030008UL
#else
#define configMTIME_BASE_ADDRESS 0
#define configMTIMECMP_BASE_ADDRESS 0
#endif

#endif

#endif
