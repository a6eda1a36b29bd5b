/* Enabling interrupts and the priorities of handlers, the same on Armv6-M and Armv7-M: words only, as the former wants
 * (DDI 0419: B3.4 NVIC; DDI 0403: B3.4). */
#ifndef CYCLESCOPE_NVIC_H
#define CYCLESCOPE_NVIC_H

#include "cortex_m.h"

#define NVIC_ISER(n) REG32(0xE000E100u + 4u * (n))
#define NVIC_IPR(n) REG32(0xE000E400u + 4u * (n))
#define SCB_SHPR3 REG32(0xE000ED20u)

/** Enables interrupt `number` with the byte `priority` in its priority register; a part keeps the upper bits of it. */
static inline void nvic_enable(uint32_t number, uint32_t priority) {
    uint32_t shift = number % 4u * 8u;

    NVIC_IPR(number / 4u) = (NVIC_IPR(number / 4u) & ~(0xFFu << shift)) | (priority << shift);
    NVIC_ISER(number / 32u) = 1u << number % 32u;
}

/** Sets the byte `priority` of SysTick. */
static inline void systick_priority(uint32_t priority) { SCB_SHPR3 = (SCB_SHPR3 & 0x00FFFFFFu) | (priority << 24); }

static inline void irq_unmask(void) { __asm volatile("cpsie i" ::: "memory"); }

#endif
