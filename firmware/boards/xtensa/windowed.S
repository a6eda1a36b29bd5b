/*
 * Vectors, window handlers, interrupt entry and reset for cores with windows. The vectors' offsets from VECBASE are those of the
 * ESP32's LX6. The six window handlers are the only ones that the ABI's stack frames allow (ISA manual, "Windowed procedure call
 * protocol"). Whatever comes that nobody expects stays at `xtensa_fault`, for a debugger to find. No program of ours has an
 * interrupt above level 1.
 */
#include "frame.h"

#define CAUSE_LEVEL1_INTERRUPT 4

#define LBEG 0
#define LEND 1
#define LCOUNT 2
#define WINDOWBASE 72
#define WINDOWSTART 73

/** Windows of four registers: 64 on the ESP32. */
#if !defined(XTENSA_WINDOWS)
#define XTENSA_WINDOWS 16
#endif

    .section .vectors, "ax"
    .global xtensa_vectors
xtensa_vectors:
    .org 0x000 /* overflow of a window that called by CALL4 */
    s32e    a0, a5, -16
    s32e    a1, a5, -12
    s32e    a2, a5, -8
    s32e    a3, a5, -4
    rfwo
    .org 0x040 /* underflow */
    l32e    a0, a5, -16
    l32e    a1, a5, -12
    l32e    a2, a5, -8
    l32e    a3, a5, -4
    rfwu
    .org 0x080 /* CALL8 */
    s32e    a0, a9, -16
    l32e    a0, a1, -12
    s32e    a1, a9, -12
    s32e    a2, a9, -8
    s32e    a3, a9, -4
    s32e    a4, a0, -32
    s32e    a5, a0, -28
    s32e    a6, a0, -24
    s32e    a7, a0, -20
    rfwo
    .org 0x0c0
    l32e    a0, a9, -16
    l32e    a1, a9, -12
    l32e    a2, a9, -8
    l32e    a7, a1, -12
    l32e    a3, a9, -4
    l32e    a4, a7, -32
    l32e    a5, a7, -28
    l32e    a6, a7, -24
    l32e    a7, a7, -20
    rfwu
    .org 0x100 /* CALL12 */
    s32e    a0, a13, -16
    l32e    a0, a1, -12
    s32e    a1, a13, -12
    s32e    a2, a13, -8
    s32e    a3, a13, -4
    s32e    a4, a0, -48
    s32e    a5, a0, -44
    s32e    a6, a0, -40
    s32e    a7, a0, -36
    s32e    a8, a0, -32
    s32e    a9, a0, -28
    s32e    a10, a0, -24
    s32e    a11, a0, -20
    rfwo
    .org 0x140
    l32e    a0, a13, -16
    l32e    a1, a13, -12
    l32e    a2, a13, -8
    l32e    a11, a1, -12
    l32e    a3, a13, -4
    l32e    a4, a11, -48
    l32e    a5, a11, -44
    l32e    a6, a11, -40
    l32e    a7, a11, -36
    l32e    a8, a11, -32
    l32e    a9, a11, -28
    l32e    a10, a11, -24
    l32e    a11, a11, -20
    rfwu
    .org 0x180 /* level 2 */
    j xtensa_fault
    .org 0x1c0 /* level 3 */
    j xtensa_fault
    .org 0x200 /* level 4 */
    j xtensa_fault
    .org 0x240 /* level 5 */
    j xtensa_fault
    .org 0x280 /* debug exception, level 6 */
    j xtensa_fault
    .org 0x2c0 /* NMI, level 7 */
    j xtensa_fault
    .org 0x300 /* kernel exception */
    wsr.excsave1 a0
    j level1
    .org 0x340 /* user exception */
    wsr.excsave1 a0
    j level1
    .org 0x3c0 /* double exception */
    j xtensa_fault
    .org 0x400

    /*
     * Writes the registers of all callers to their stacks: their windows are then free. Using a register of a window that a
     * caller still has raises its overflow; three windows are reached at once. PS has WOE and no EXCM, and the stack pointer
     * is the current function's own. The rotations add up to all windows, so that nothing has moved at the end.
     */
    .macro spill_windows
    .rept (XTENSA_WINDOWS - 2) / 3
    and     a12, a12, a12
    rotw    3
    .endr
    .if (XTENSA_WINDOWS - 1) % 3 == 0
    and     a12, a12, a12
    rotw    4
    .else
    .if (XTENSA_WINDOWS - 1) % 3 == 1
    and     a4, a4, a4
    rotw    2
    .else
    and     a8, a8, a8
    rotw    3
    .endif
    .endif
    .endm

    /* The frame's registers a0 to a15 but for a0 and a1, by the instruction and the register with the frame's address. */
    .macro rest_of_window instruction, base
    \instruction a2, \base, FRAME_A(2)
    \instruction a3, \base, FRAME_A(3)
    \instruction a4, \base, FRAME_A(4)
    \instruction a5, \base, FRAME_A(5)
    \instruction a6, \base, FRAME_A(6)
    \instruction a7, \base, FRAME_A(7)
    \instruction a8, \base, FRAME_A(8)
    \instruction a9, \base, FRAME_A(9)
    \instruction a10, \base, FRAME_A(10)
    \instruction a11, \base, FRAME_A(11)
    \instruction a12, \base, FRAME_A(12)
    \instruction a13, \base, FRAME_A(13)
    \instruction a14, \base, FRAME_A(14)
    \instruction a15, \base, FRAME_A(15)
    .endm

    /* With EXCM set registers above a3 may be a caller's: they are read, saved and later put back, but not changed before that
     * caller is spilled. */
    .text
    .align 4
    .type level1, @function
level1:
    addi    a0, sp, -FRAME_BYTES - FRAME_BASE_SAVE
    s32i    sp, a0, FRAME_A(1)
    rest_of_window s32i, a0
    rsr.excsave1 a2
    s32i    a2, a0, FRAME_A0
    movi    a2, FRAME_FULL
    s32i    a2, a0, FRAME_KIND
    rsr.ps  a2
    s32i    a2, a0, FRAME_PS
    rsr.epc1 a2
    s32i    a2, a0, FRAME_PC
    rsr.sar a2
    s32i    a2, a0, FRAME_SAR
    read_special a2, LBEG
    s32i    a2, a0, FRAME_LBEG
    read_special a2, LEND
    s32i    a2, a0, FRAME_LEND
    read_special a2, LCOUNT
    s32i    a2, a0, FRAME_LCOUNT
    rsr.exccause a2
    beqi    a2, CAUSE_LEVEL1_INTERRUPT, 1f
    j       xtensa_fault
1:
    movi    a2, 4 /* WOE */
    slli    a2, a2, 16
    addi    a2, a2, 0x20 + XTENSA_MASKED_LEVEL /* UM */
    wsr.ps  a2
    rsync
    spill_windows
    mov     sp, a0
    mov     a6, a0
    call4   xtensa_interrupt
    mov     a2, a6
    j       xtensa_resume
    .size level1, . - level1

    /* Goes on with the frame at a2, levels 1 to 3 masked; no window is in use but this one. */
    .global xtensa_resume
    .type xtensa_resume, @function
    .align 4
xtensa_resume:
    mov     sp, a2
    l32i    a3, sp, FRAME_KIND
    l32i    a2, sp, FRAME_PS
    beqz    a3, 1f
    wsr.ps  a2 /* with EXCM: no interrupt until RFE */
    rsync
    l32i    a2, sp, FRAME_PC
    wsr.epc1 a2
    l32i    a2, sp, FRAME_SAR
    wsr.sar a2
    l32i    a2, sp, FRAME_LBEG
    write_special a2, LBEG
    l32i    a2, sp, FRAME_LEND
    write_special a2, LEND
    l32i    a2, sp, FRAME_LCOUNT
    write_special a2, LCOUNT
    l32i    a0, sp, FRAME_A0
    rest_of_window l32i, sp
    l32i    sp, sp, FRAME_A(1)
    rfe
1:
    l32i    a0, sp, FRAME_PC
    wsr.ps  a2
    rsync
    retw    /* underflows: the caller is on its stack */
    .size xtensa_resume, . - xtensa_resume

    /* void xtensa_switch(void *(*next)(void *frame)): writes the callers' registers to their stacks, leaves a short frame on its
     * own and goes on with the one that `next`, called with the frame's address, returns. */
    .global xtensa_switch
    .type xtensa_switch, @function
    .align 4
xtensa_switch:
    entry   sp, 48
    rsil    a4, XTENSA_MASKED_LEVEL
    s32i    a4, sp, FRAME_PS
    movi    a4, FRAME_SHORT
    s32i    a4, sp, FRAME_KIND
    s32i    a0, sp, FRAME_PC
    spill_windows
    mov     a10, sp
    callx8  a2
    mov     a2, a10
    j       xtensa_resume
    .size xtensa_switch, . - xtensa_switch

    /* void xtensa_begin(void *frame): forgets all callers and goes on with the frame. */
    .global xtensa_begin
    .type xtensa_begin, @function
    .align 4
xtensa_begin:
    entry   sp, 32
    rsil    a3, XTENSA_MASKED_LEVEL
    read_special a3, WINDOWBASE
    ssl     a3
    movi    a3, 1
    sll     a3, a3
    write_special a3, WINDOWSTART
    rsync
    j       xtensa_resume
    .size xtensa_begin, . - xtensa_begin

    .global xtensa_fault
    .type xtensa_fault, @function
    .align 4
xtensa_fault:
    j       xtensa_fault
    .size xtensa_fault, . - xtensa_fault

    /* The image was loaded where it belongs; only zeroes are missing. The loader may have left windows of its own. */
    .global _start
    .type _start, @function
    .align 4
_start:
    rsil    a2, 15
    movi    a2, 0
    wsr.intenable a2
    write_special a2, WINDOWBASE
    rsync
    movi    a2, 1
    write_special a2, WINDOWSTART
    rsync
    movi    a0, 0
    write_special a0, LCOUNT
    movi    a2, xtensa_vectors
    wsr.vecbase a2
    movi    sp, _stack_top
    addi    sp, sp, -FRAME_BASE_SAVE
    movi    a2, 4 /* WOE */
    slli    a2, a2, 16
    addi    a2, a2, 0x20 /* UM, level 0 */
    wsr.ps  a2
    rsync
    movi    a2, _sbss
    movi    a3, _ebss
1:
    bgeu    a2, a3, 2f
    s32i    a0, a2, 0
    addi    a2, a2, 4
    j       1b
2:
    call4   main
    j       xtensa_fault
    .size _start, . - _start
