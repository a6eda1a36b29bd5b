/* How traps come to the kernel on a RISC-V board. */
#ifndef CYCLESCOPE_FREERTOS_TRAPS_H
#define CYCLESCOPE_FREERTOS_TRAPS_H

/** Points the trap vector to the kernel, unless it has a fixed place. Call it before the scheduler starts. */
void traps_init(void);

#endif
