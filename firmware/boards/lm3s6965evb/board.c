/* The generic Armv7-M board: no clock to set, and one of two channels: semihosting, or UART0 of the LM3S6965 (the
 * PrimeCell PL011, Arm DDI 0183, "Register descriptions"). Runs under QEMU's lm3s6965evb machine and on cyclescope's
 * cortex-m3, which both have that UART clocked and connected from the start; the real part would want its clock gates
 * and pins set. Both exit through semihosting. */
#include "board.h"

#include "cortex_m.h"
#include "semihosting.h"

#if defined(CHANNEL_UART) + defined(CHANNEL_SEMIHOSTING) != 1
#error "define exactly one of CHANNEL_UART, CHANNEL_SEMIHOSTING"
#endif

#if defined(CHANNEL_UART)

#define UART0_DR REG32(0x4000C000u)
#define UART0_FR REG32(0x4000C018u)
#define UART_FR_BUSY (1u << 3)
#define UART_FR_TXFF (1u << 5)
#define UART0_IBRD REG32(0x4000C024u)
#define UART0_FBRD REG32(0x4000C028u)
#define UART0_LCRH REG32(0x4000C02Cu)
#define UART_LCRH_FEN (1u << 4)
#define UART_LCRH_WLEN_8 (3u << 5)
#define UART0_CTL REG32(0x4000C030u)
#define UART_CTL_UARTEN (1u << 0)
#define UART_CTL_TXE (1u << 8)

/* The divider in 64ths: 12.5 MHz / (16 * 115,200) = 6 + 50/64. */
static void channel_init(void) {
    UART0_CTL = 0;
    UART0_IBRD = 6;
    UART0_FBRD = 50;
    UART0_LCRH = UART_LCRH_WLEN_8 | UART_LCRH_FEN; /* the write that takes the divider over, too */
    UART0_CTL = UART_CTL_UARTEN | UART_CTL_TXE;
}

void board_write(const char *text) {
    for (; *text != '\0'; text += 1) {
        while ((UART0_FR & UART_FR_TXFF) != 0) {
        }
        UART0_DR = (uint8_t)*text;
    }
}

static void channel_drain(void) {
    while ((UART0_FR & UART_FR_BUSY) != 0) {
    }
}

#else

static void channel_init(void) {}

void board_write(const char *text) { semihosting_write(text); }

static void channel_drain(void) {}

#endif

void board_init(void) { channel_init(); }

_Noreturn void board_exit(void) {
    channel_drain();
    semihosting_exit();
    sleep_for_ever();
}
