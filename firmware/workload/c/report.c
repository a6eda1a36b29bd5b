#include "report.h"

#include "board.h"

/* Decimal without printf, which would bring some kilobytes of newlib into every image. 2^64 has 20 digits. */
static void write_decimal(uint64_t value) {
    char digits[21];
    char *at = &digits[sizeof digits - 1];

    *at = '\0';
    do {
        at -= 1;
        *at = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    board_write(at);
}

static void write_field(const char *label, uint64_t value) {
    board_write(label);
    write_decimal(value);
}

void primes_report(const struct primes_run *run, const struct primes_result *result) {
    for (uint32_t k = 0; k < result->found; k += 1) {
        write_field("found a prime number ", k + 1);
        write_field(" ", result->primes[k]);
        board_write("\n");
    }

    write_field("done elapsed = ", (uint64_t)run->elapsed * 1000 / run->clock_hz);
    write_field(" ms, trials=", result->trials);
    write_field(", loops=", result->loops);
    board_write("\n");

    board_write("cyclescope primes contender=");
    board_write(run->contender);
    board_write(" mode=");
    board_write(run->mode);
    write_field(" trials=", result->trials);
    write_field(" loops=", result->loops);
    write_field(" dispatches=", result->dispatches);
    write_field(" counter=", run->counter);
    write_field(" elapsed=", run->elapsed);
    write_field(" clock_hz=", run->clock_hz);
    board_write("\n");
}
