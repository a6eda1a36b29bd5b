/* The Cortex-M3 alone, as cyclescope's chip of that name has it: memories as the LM3S6965's and its UART0, so that QEMU's
 * lm3s6965evb runs the same image. */
#include "../lm3s6965evb/board.c"
