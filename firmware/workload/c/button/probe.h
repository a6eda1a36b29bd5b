/*
 * T1 to T4 of the button program: pin A around the handler, pin B around the button task's work, and two labels in its
 * code. The pins stand in all modes but `bare`, the labels in all.
 *
 * A label is assembly without an instruction, so that each of the last two macros may come once in a program, in a
 * function that the compiler does not copy: a second label of the name would not assemble.
 */
#ifndef CYCLESCOPE_BUTTON_PROBE_H
#define CYCLESCOPE_BUTTON_PROBE_H

#include "button_board.h"
#include "button_mode.h"

#define BUTTON_LABEL(name) __asm volatile(".global " name "\n" name ":" ::: "memory")

/** T1: the first thing in the handler. */
#define T1_HANDLER_BEGINS() (PROBES ? pin_a_rises() : (void)0)
/** T2: the last thing in it. */
#define T2_HANDLER_ENDS() (PROBES ? pin_a_falls() : (void)0)

/** T3: the first thing in the button task once it stops waiting. */
#define T3_TASK_RUNS() \
    do { \
        BUTTON_LABEL("cyclescope_button_runs"); \
        PROBES ? pin_b_rises() : (void)0; \
    } while (0)

/** T4: the last thing in it before it waits again. */
#define T4_TASK_WAITS() \
    do { \
        PROBES ? pin_b_falls() : (void)0; \
        BUTTON_LABEL("cyclescope_button_waits"); \
    } while (0)

#endif
