/* The few Armv6-M system registers and instructions the boards use (Armv6-M Architecture Reference Manual,
 * DDI 0419: B3.2 system control space, B3.3 SysTick). */
#ifndef CYCLESCOPE_CORTEX_M_H
#define CYCLESCOPE_CORTEX_M_H

#include <stdint.h>

#define REG32(address) (*(volatile uint32_t *)(address))

#define SYST_CSR REG32(0xE000E010u)
#define SYST_RVR REG32(0xE000E014u)
#define SYST_CVR REG32(0xE000E018u)
#define SYST_CSR_ENABLE (1u << 0)
#define SYST_CSR_TICKINT (1u << 1)
#define SYST_CSR_CLKSOURCE_CPU (1u << 2)

#define SCB_ICSR REG32(0xE000ED04u)
#define SCB_ICSR_PENDSTCLR (1u << 25)
#define SCB_ICSR_PENDSVCLR (1u << 27)
#define SCB_VTOR REG32(0xE000ED08u)

static inline void irq_mask(void) { __asm volatile("cpsid i" ::: "memory"); }
static inline void wait_for_interrupt(void) { __asm volatile("wfi" ::: "memory"); }

/**
 * Stands still for ever. A masked interrupt that is pending would end each WFI at once, and the loop would burn power
 * instead of sleeping; so the tick of whatever ran before is stopped, and what it left pending is taken back.
 */
static inline __attribute__((noreturn)) void sleep_for_ever(void) {
    irq_mask();
    SYST_CSR = 0;
    SCB_ICSR = SCB_ICSR_PENDSTCLR | SCB_ICSR_PENDSVCLR;
    for (;;) {
        wait_for_interrupt();
    }
}

#endif
