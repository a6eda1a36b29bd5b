#include "switch_report.h"

#include "board.h"

/* Decimal without printf and without 64 bits; 2^32 has 10 digits. */
static void write_decimal(uint32_t value) {
    char digits[11];
    char *at = &digits[sizeof digits - 1];

    *at = '\0';
    do {
        at -= 1;
        *at = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    board_write(at);
}

static void write_field(const char *label, uint32_t value) {
    board_write(label);
    write_decimal(value);
}

void switch_report(const struct switch_run *run) {
    for (uint8_t k = 0; k < run->row_count; k += 1) {
        board_write(run->rows[k].name);
        write_field(": ", run->rows[k].counter);
        write_field(" iterations in ", run->rows[k].elapsed);
        board_write(" us\n");
    }
    for (uint8_t k = 0; k < run->size_count; k += 1) {
        board_write(run->sizes[k].object);
        write_field(": ", run->sizes[k].bytes);
        board_write(" bytes\n");
    }

    board_write("cyclescope switch contender=");
    board_write(run->contender);
    board_write(" mode=");
    board_write(run->mode);
    write_field(" iterations=", run->iterations);
    write_field(" clock_hz=", BOARD_CLOCK_HZ);
    write_field(" resolution=", BOARD_CLOCK_RESOLUTION);
    for (uint8_t k = 0; k < run->row_count; k += 1) {
        board_write(" ");
        board_write(run->rows[k].name);
        write_field("=", run->rows[k].counter);
        write_field("/", run->rows[k].elapsed);
    }
    for (uint8_t k = 0; k < run->size_count; k += 1) {
        board_write(" size.");
        board_write(run->sizes[k].object);
        write_field("=", run->sizes[k].bytes);
    }
    board_write("\n");
}
