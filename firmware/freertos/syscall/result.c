#include "result.h"

#include "board.h"

#if defined(MODE_QUEUE)
#define MODE "queue"
#elif defined(MODE_YIELD)
#define MODE "yield"
#else
#error "define MODE_ and the mode's name"
#endif

/* Decimal without printf; 2^32 has 10 digits. */
static void write_field(const char *label, uint32_t value) {
    char digits[11];
    char *at = &digits[sizeof digits - 1];

    board_write(label);
    *at = '\0';
    do {
        at -= 1;
        *at = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    board_write(at);
}

_Noreturn void result_report(const char *call, const struct result *result) {
    board_write("cyclescope syscall contender=freertos mode=" MODE " ");
    write_field(call, result->calls);
    write_field(" sum=", result->sum);
    write_field(" ok=", result->calls == CALLS && result->sum == CALLS * (CALLS + 1) / 2);
    board_write("\n");
    board_exit();
}
