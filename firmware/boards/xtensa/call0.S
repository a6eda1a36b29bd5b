/*
 * Vectors, interrupt entry and reset for the LX106, which has no windows (call0 ABI). The vectors' offsets from VECBASE are those
 * of its configuration; whatever comes that nobody expects stays at `xtensa_fault`, for a debugger to find.
 */
#include "frame.h"

#define CAUSE_LEVEL1_INTERRUPT 4

    .section .vectors, "ax"
    .global xtensa_vectors
xtensa_vectors:
    .org 0x10 /* debug exception, level 2 */
    j xtensa_fault
    .org 0x20 /* NMI, level 3 */
    j xtensa_fault
    .org 0x30 /* kernel exception */
    j level1
    .org 0x50 /* user exception */
    j level1
    .org 0x70 /* double exception */
    j xtensa_fault
    .org 0x80

    .text
    .align 4
    .type level1, @function
level1:
    addi    sp, sp, -FRAME_BYTES
    s32i    a0, sp, FRAME_A0
    s32i    a2, sp, FRAME_A(2)
    s32i    a3, sp, FRAME_A(3)
    s32i    a4, sp, FRAME_A(4)
    s32i    a5, sp, FRAME_A(5)
    s32i    a6, sp, FRAME_A(6)
    s32i    a7, sp, FRAME_A(7)
    s32i    a8, sp, FRAME_A(8)
    s32i    a9, sp, FRAME_A(9)
    s32i    a10, sp, FRAME_A(10)
    s32i    a11, sp, FRAME_A(11)
    s32i    a12, sp, FRAME_A(12)
    s32i    a13, sp, FRAME_A(13)
    s32i    a14, sp, FRAME_A(14)
    s32i    a15, sp, FRAME_A(15)
    movi    a2, FRAME_FULL
    s32i    a2, sp, FRAME_KIND
    rsr.ps  a2
    s32i    a2, sp, FRAME_PS
    rsr.epc1 a2
    s32i    a2, sp, FRAME_PC
    rsr.sar a2
    s32i    a2, sp, FRAME_SAR
    rsr.exccause a2
    beqi    a2, CAUSE_LEVEL1_INTERRUPT, 1f
    j       xtensa_fault
1:
    movi    a2, FRAME_HANDLER_PS
    wsr.ps  a2
    rsync
    mov     a2, sp
    call0   xtensa_interrupt
    j       xtensa_resume
    .size level1, . - level1

    /* Goes on with the frame at a2, level 1 masked. */
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
    l32i    a0, sp, FRAME_A0
    l32i    a2, sp, FRAME_A(2)
    l32i    a3, sp, FRAME_A(3)
    l32i    a4, sp, FRAME_A(4)
    l32i    a5, sp, FRAME_A(5)
    l32i    a6, sp, FRAME_A(6)
    l32i    a7, sp, FRAME_A(7)
    l32i    a8, sp, FRAME_A(8)
    l32i    a9, sp, FRAME_A(9)
    l32i    a10, sp, FRAME_A(10)
    l32i    a11, sp, FRAME_A(11)
    l32i    a12, sp, FRAME_A(12)
    l32i    a13, sp, FRAME_A(13)
    l32i    a14, sp, FRAME_A(14)
    l32i    a15, sp, FRAME_A(15)
    addi    sp, sp, FRAME_BYTES
    rfe
1:
    l32i    a0, sp, FRAME_PC
    l32i    a12, sp, FRAME_SHORT_A(12)
    l32i    a13, sp, FRAME_SHORT_A(13)
    l32i    a14, sp, FRAME_SHORT_A(14)
    l32i    a15, sp, FRAME_SHORT_A(15)
    wsr.ps  a2
    rsync
    addi    sp, sp, FRAME_SHORT_BYTES
    ret
    .size xtensa_resume, . - xtensa_resume

    /* void xtensa_switch(void *(*next)(void *frame)): leaves a short frame on the caller's stack and goes on with the one that
     * `next`, called with the frame's address, returns. */
    .global xtensa_switch
    .type xtensa_switch, @function
    .align 4
xtensa_switch:
    addi    sp, sp, -FRAME_SHORT_BYTES
    rsil    a3, XTENSA_MASKED_LEVEL
    s32i    a3, sp, FRAME_PS
    movi    a3, FRAME_SHORT
    s32i    a3, sp, FRAME_KIND
    s32i    a0, sp, FRAME_PC
    s32i    a12, sp, FRAME_SHORT_A(12)
    s32i    a13, sp, FRAME_SHORT_A(13)
    s32i    a14, sp, FRAME_SHORT_A(14)
    s32i    a15, sp, FRAME_SHORT_A(15)
    mov     a3, a2
    mov     a2, sp
    callx0  a3
    j       xtensa_resume
    .size xtensa_switch, . - xtensa_switch

    /* void xtensa_begin(void *frame): goes on with the frame and never comes back. */
    .global xtensa_begin
    .type xtensa_begin, @function
    .align 4
xtensa_begin:
    rsil    a3, XTENSA_MASKED_LEVEL
    j       xtensa_resume
    .size xtensa_begin, . - xtensa_begin

    .global xtensa_fault
    .type xtensa_fault, @function
    .align 4
xtensa_fault:
    j       xtensa_fault
    .size xtensa_fault, . - xtensa_fault

    /* The image was loaded where it belongs; only zeroes are missing. */
    .global _start
    .type _start, @function
    .align 4
_start:
    movi    a2, 0
    wsr.intenable a2
    movi    a2, xtensa_vectors
    wsr.vecbase a2
    movi    sp, _stack_top
    movi    a2, 0x20 /* UM, level 0 */
    wsr.ps  a2
    rsync
    movi    a2, _sbss
    movi    a3, _ebss
    movi    a4, 0
1:
    bgeu    a2, a3, 2f
    s32i    a4, a2, 0
    addi    a2, a2, 4
    j       1b
2:
    call0   main
    j       xtensa_fault
    .size _start, . - _start
