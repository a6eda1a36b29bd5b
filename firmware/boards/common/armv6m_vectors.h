/* The system part of a vector table for Armv6-M (Armv6-M Architecture Reference Manual, DDI 0419: exception numbers). A
 * board's vectors.c includes this once. */
#ifndef CYCLESCOPE_ARMV6M_VECTORS_H
#define CYCLESCOPE_ARMV6M_VECTORS_H

#include <stdint.h>

typedef void (*vector)(void);

extern uint32_t _estack[];
void Reset_Handler(void);
void Default_Handler(void);

#define HANDLER(name) void name(void) __attribute__((weak, alias("Weak_Handler")))

/* An alias must stand in the same translation unit as its target. */
void Weak_Handler(void);
void Weak_Handler(void) { Default_Handler(); }

HANDLER(NMI_Handler);
HANDLER(HardFault_Handler);
HANDLER(SVC_Handler);
HANDLER(PendSV_Handler);
HANDLER(SysTick_Handler);

/* The first 16 entries, with `reset` as the reset handler. */
#define SYSTEM_VECTORS(reset) \
    [0] = (vector)_estack, [1] = reset, [2] = NMI_Handler, [3] = HardFault_Handler, [11] = SVC_Handler, \
    [14] = PendSV_Handler, [15] = SysTick_Handler

#endif
