/* The generic Armv7E-M board with FPU: no clock to set, semihosting for a channel. Runs under QEMU's mps2-an386 machine
 * and on cyclescope's cortex-m4. */
#include "board.h"

#include "cortex_m.h"
#include "semihosting.h"

void board_init(void) {}

void board_write(const char *text) { semihosting_write(text); }

_Noreturn void board_exit(void) {
    semihosting_exit();
    sleep_for_ever();
}
