/* Checks by semihosting, whose console shows each value, and the end of a program. */
#ifndef CYCLESCOPE_BOOT_CHECKS_H
#define CYCLESCOPE_BOOT_CHECKS_H

#include "nvic.h"
#include "semihosting.h"

#define ADP_STOPPED_RUN_TIME_ERROR 0x20023u

static void print_number(uint32_t value) {
    char digits[11];
    char *at = &digits[sizeof digits - 1];

    *at = '\0';
    do {
        at -= 1;
        *at = (char)('0' + value % 10u);
        value /= 10u;
    } while (value != 0);
    semihosting_write(at);
}

/** Prints that `name` is `value`, and ends the program with an error unless it is from `least` to `most`. */
static void within(const char *name, uint32_t value, uint32_t least, uint32_t most) {
    semihosting_write(name);
    semihosting_write(": ");
    print_number(value);
    semihosting_write("\n");
    if (value < least || value > most) {
        semihosting_write("wrong\n");
        (void)semihosting(SYS_EXIT, ADP_STOPPED_RUN_TIME_ERROR);
    }
}

/** The same for a value that must be `expected`. */
static void check(const char *name, uint32_t value, uint32_t expected) { within(name, value, expected, expected); }

/** Ends the program with success. */
static _Noreturn void done(void) {
    semihosting_write("done\n");
    semihosting_exit();
    sleep_for_ever();
}

/** Sleeps until a handler has counted `*count` up to `least`. A masked interrupt ends WFI, too: none falls between the look at the
 *  count and the sleep. */
static void sleep_until(const volatile uint32_t *count, uint32_t least) {
    for (;;) {
        irq_mask();
        if (*count >= least) {
            break;
        }
        wait_for_interrupt();
        irq_unmask();
    }
    irq_unmask();
}

/** Gives a pin time to follow its pull resistor. */
static void settle(void) {
    for (uint32_t turn = 0; turn < 200; turn += 1) {
        __asm volatile("nop");
    }
}

#endif
