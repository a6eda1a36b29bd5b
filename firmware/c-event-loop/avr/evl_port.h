/* What evloop's queue needs of an AVR, given to each of its sources by `-include`: interrupts masked and put back, so that
 * sections nest. SREG holds the interrupt flag with the arithmetic ones, which nobody minds. */
#ifndef EVL_PORT_AVR_H
#define EVL_PORT_AVR_H

#include <avr/io.h>
#include <stdint.h>

static inline uint8_t evl_critical_enter(void) {
    uint8_t sreg = SREG;

    __asm__ volatile("cli" ::: "memory");
    return sreg;
}

static inline void evl_critical_exit(uint8_t sreg) {
    __asm__ volatile("" ::: "memory");
    SREG = sreg;
}

#define EVL_CRITICAL_ENTER() evl_critical_enter()
#define EVL_CRITICAL_EXIT(saved) evl_critical_exit((uint8_t)(saved))

#endif
