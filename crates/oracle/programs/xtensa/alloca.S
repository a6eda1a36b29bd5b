/*
 * Handles the alloca exception behind the interrupt entry of firmware/boards/xtensa/windowed.S, which takes whatever is no interrupt
 * to this place with the frame in a0 and the cause of the exception in a2: MOVSP wants the caller's registers in the file, so its
 * underflow handler loads them (ISA manual, RC-2010.1, "MOVSP") and MOVSP executes again.
 */
#include "frame.h"

#define CAUSE_ALLOCA 5
#define WINDOWBASE 72
#define OWB_SHIFT 8

    .text
    .align 4
    .global xtensa_fault
    .type xtensa_fault, @function
xtensa_fault:
    beqi    a2, CAUSE_ALLOCA, 2f
1:
    j       1b
2:
    /* RFWU comes back to the window in PS.OWB. */
    rsr.ps  a2
    srli    a3, a2, 12
    slli    a3, a3, 12
    extui   a2, a2, 0, OWB_SHIFT
    or      a2, a2, a3
    read_special a3, WINDOWBASE
    slli    a3, a3, OWB_SHIFT
    or      a2, a2, a3
    wsr.ps  a2
    rsync
    l32i    a2, a0, FRAME_A(2)
    l32i    a3, a0, FRAME_A(3)
    rsr.excsave1 a0
    bbci    a0, 31, 4f
    bbci    a0, 30, 8f
    rotw    -3
    j       xtensa_vectors + 0x140
8:
    rotw    -2
    j       xtensa_vectors + 0x0c0
4:
    rotw    -1
    j       xtensa_vectors + 0x040
    .size xtensa_fault, . - xtensa_fault
