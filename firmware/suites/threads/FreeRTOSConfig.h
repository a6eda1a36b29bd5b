/* FreeRTOS V11.2 for threads.c: what it needs, and with HOOKS the kernel's trace macros. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#define configCPU_CLOCK_HZ 16000000
#define configTICK_RATE_HZ 1000
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#define configUSE_PREEMPTION 1
#define configUSE_TIME_SLICING 0
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 1
#define configMAX_PRIORITIES 5
#define configUSE_MUTEXES 1
#define configUSE_COUNTING_SEMAPHORES 1
#define configUSE_IDLE_HOOK 1
#define configUSE_TICK_HOOK 0
#define configSUPPORT_STATIC_ALLOCATION 1
#define configSUPPORT_DYNAMIC_ALLOCATION 1
#define configKERNEL_PROVIDED_STATIC_MEMORY 1
#define configTOTAL_HEAP_SIZE 4096
#define configMINIMAL_STACK_SIZE 128
#define configSTACK_DEPTH_TYPE uint16_t
#define configMAX_TASK_NAME_LEN 8
#define configCHECK_HANDLER_INSTALLATION 0
#define configENABLE_MPU 0
#define INCLUDE_vTaskDelay 1
#define INCLUDE_vTaskDelete 1
#define INCLUDE_vTaskSuspend 1

#define configPRIO_BITS 4
#define configMAX_SYSCALL_INTERRUPT_PRIORITY (5 << (8 - configPRIO_BITS))
#define configKERNEL_INTERRUPT_PRIORITY (((1 << configPRIO_BITS) - 1) << (8 - configPRIO_BITS))
#define vPortSVCHandler SVC_Handler
#define xPortPendSVHandler PendSV_Handler
#define xPortSysTickHandler SysTick_Handler

#if defined(HOOKS)
/** What each hook was last told of: the task that runs, that ran, that was moved to a ready list, that inherited a priority, that
 *  gave it back; the queue that a task begins to wait for. */
extern volatile unsigned long hooks[6];
#define traceTASK_SWITCHED_IN() hooks[0] = (unsigned long)pxCurrentTCB
#define traceTASK_SWITCHED_OUT() hooks[1] = (unsigned long)pxCurrentTCB
#define traceMOVED_TASK_TO_READY_STATE(task) hooks[2] = (unsigned long)(task)
#define traceTASK_PRIORITY_INHERIT(task, priority) hooks[3] = (unsigned long)(task)
#define traceTASK_PRIORITY_DISINHERIT(task, priority) hooks[4] = (unsigned long)(task)
#define traceBLOCKING_ON_QUEUE_RECEIVE(queue) hooks[5] = (unsigned long)(queue)
#endif

#endif
