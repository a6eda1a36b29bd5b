/* The cycle counter of Cortex-M3 and M4 (DDI 0403, C1.8 Data Watchpoint and Trace unit). */
#ifndef CYCLESCOPE_KIT_CYCCNT_H
#define CYCLESCOPE_KIT_CYCCNT_H

#include "cortex_m.h"

#define DEMCR REG32(0xE000EDFCu)
#define DEMCR_TRCENA (1u << 24)
#define DWT_CTRL REG32(0xE0001000u)
#define DWT_CTRL_CYCCNTENA (1u << 0)
#define DWT_CYCCNT REG32(0xE0001004u)

static inline void cyccnt_start(void) {
    DEMCR |= DEMCR_TRCENA;
    DWT_CYCCNT = 0;
    DWT_CTRL |= DWT_CTRL_CYCCNTENA;
}

#endif
