/* The reset handler of parts whose code is built for the FPU: it gives full access to coprocessors 10 and 11 before
 * anything can touch a floating-point register (DDI 0403, B3.2.20 CPACR; the barriers as in DDI 0439, 7.3 enabling
 * the FPU). Lazy stacking stays as reset leaves it, on. */
#ifndef CYCLESCOPE_FPU_H
#define CYCLESCOPE_FPU_H

#include "cortex_m.h"

#if !defined(__ARM_FP)
#error "a board with an FPU wants code that is built for it"
#endif

#define SCB_CPACR REG32(0xE000ED88u)
#define SCB_CPACR_CP10_CP11_FULL (0xFu << 20)

void Reset_Handler(void);

static void Fpu_Reset_Handler(void) {
    SCB_CPACR |= SCB_CPACR_CP10_CP11_FULL;
    __asm volatile("dsb\n\tisb" ::: "memory");
    Reset_Handler();
}

#endif
