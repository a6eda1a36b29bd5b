/* The vector table of the generic board: the system exceptions only, since no interrupt is ever enabled. */
#include <stdint.h>

extern uint32_t _estack[];
void Reset_Handler(void);
void Default_Handler(void);

#define HANDLER(name) void name(void) __attribute__((weak, alias("Weak_Handler")))

/* An alias must stand in the same translation unit as its target. */
void Weak_Handler(void) { Default_Handler(); }

HANDLER(NMI_Handler);
HANDLER(HardFault_Handler);
HANDLER(SVC_Handler);
HANDLER(PendSV_Handler);
HANDLER(SysTick_Handler);

typedef void (*vector)(void);

__attribute__((section(".isr_vector"), used)) static const vector vectors[16 + 32] = {
    [0] = (vector)_estack,
    [1] = Reset_Handler,
    [2] = NMI_Handler,
    [3] = HardFault_Handler,
    [11] = SVC_Handler,
    [14] = PendSV_Handler,
    [15] = SysTick_Handler,
};
