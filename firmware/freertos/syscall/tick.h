/* How traps come to the kernel on a RISC-V board, and its tick. */
#ifndef CYCLESCOPE_FREERTOS_TICK_H
#define CYCLESCOPE_FREERTOS_TICK_H

/** Points the trap vector to the kernel, unless it has a fixed place. Call it before the scheduler starts. */
void tick_init(void);

#endif
