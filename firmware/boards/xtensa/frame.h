/*
 * What the interrupt entry leaves on the stack of what it interrupts, for assembly. A frame is full, left by an interrupt, or
 * short, left by a call that gives the processor away: a call keeps fewer registers. Offsets are in bytes.
 */
#ifndef CYCLESCOPE_XTENSA_FRAME_H
#define CYCLESCOPE_XTENSA_FRAME_H

/** The first word: one of the next two. */
#define FRAME_KIND 0
#define FRAME_SHORT 0
#define FRAME_FULL 1
/** PS, for both kinds; in a full frame with EXCM set, which RFE clears. */
#define FRAME_PS 4
/** A full frame: EPC1. A short one: a0, where the call returns to. */
#define FRAME_PC 8
#define FRAME_SAR 12

#if defined(__XTENSA_CALL0_ABI__)

/** A full frame: a0, and a2 to a15; the stack pointer follows from its place. */
#define FRAME_A0 16
#define FRAME_A(n) (12 + 4 * (n))
#define FRAME_BYTES 80
/** A short one: a12 to a15. */
#define FRAME_SHORT_A(n) (12 + 4 * ((n) - 12))
#define FRAME_SHORT_BYTES 32

/** PS of a handler: user mode, level 1 masked, which is EXCM's level on the LX106. */
#define FRAME_HANDLER_PS 0x21
#define XTENSA_MASKED_LEVEL 1

#else

/** A full frame: a0 to a15, then the loop's registers. */
#define FRAME_A0 16
#define FRAME_A(n) (16 + 4 * (n))
#define FRAME_LBEG 80
#define FRAME_LEND 84
#define FRAME_LCOUNT 88
#define FRAME_BYTES 96
/** What stays free between the stack pointer and a full frame: the base save area of the caller's registers. */
#define FRAME_BASE_SAVE 16

/** Interrupts up to EXCM's level of the LX6, 3, are masked in a handler; its PS has WOE and UM as well. */
#define XTENSA_MASKED_LEVEL 3

#endif

/** PS of a new task in a full frame: level 0, user mode, EXCM; windowed, WOE and the increment of CALL4, too. */
#if defined(__XTENSA_CALL0_ABI__)
#define FRAME_TASK_PS 0x30
#else
#define FRAME_TASK_PS 0x50030
#endif

#endif
