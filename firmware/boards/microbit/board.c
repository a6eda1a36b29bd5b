/* The generic Armv6-M board: no clock to set, semihosting for a channel (Arm, "Semihosting for AArch32 and AArch64",
 * operation and reason numbers). Runs under QEMU's microbit machine and on cyclescope's cortex-m0plus. */
#include "board.h"

#include "cortex_m.h"

#define SYS_WRITE0 0x04u
#define SYS_EXIT 0x18u
#define ADP_STOPPED_APPLICATION_EXIT 0x20026u

static uint32_t semihosting(uint32_t operation, uint32_t argument) {
    register uint32_t r0 __asm("r0") = operation;
    register uint32_t r1 __asm("r1") = argument;

    __asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void board_init(void) {}

void board_write(const char *text) { (void)semihosting(SYS_WRITE0, (uint32_t)text); }

/* On 32-bit Arm the plain SYS_EXIT takes the reason in r1, and this reason means exit code 0. */
_Noreturn void board_exit(void) {
    (void)semihosting(SYS_EXIT, ADP_STOPPED_APPLICATION_EXIT);
    sleep_for_ever();
}
