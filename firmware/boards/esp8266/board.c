/* An ESP8266 with a crystal of 26 MHz, as all modules have: 80 MHz from the PLL, the watchdog off, UART0 out. The image lies in
 * internal RAM, where the boot ROM's loader puts it. */
#include "board.h"

#include "esp8266.h"

#if !defined(CHANNEL_UART)
#error "define CHANNEL_UART: there is no other channel"
#endif

#define UART_BAUD 115200u
/** The serial port's clock, which is the PLL's 80 MHz. */
#define APB_HZ 80000000u

static void pll_write(uint32_t command) {
    RTCCNTL_PLL = command;
    while ((RTCCNTL_PLL & PLL_BUSY) != 0) {
    }
}

/* The two values for a crystal of 26 MHz that the vendor's start-up code writes; after reset the ROM runs at twice the crystal. */
static void clock_init(void) {
    pll_write(PLL_WRITE(1u, 0x88u));
    pll_write(PLL_WRITE(2u, 0x91u));
    DPORT_CTL &= ~DPORT_CTL_DOUBLE_CLK;
}

static void channel_init(void) {
    IO_MUX_U0TXD &= ~IO_MUX_FUNCTION_MASK;
    UART0_CLKDIV = APB_HZ / UART_BAUD;
    UART0_CONF0 = UART_CONF0_8_BITS | UART_CONF0_1_STOP;
}

void board_write(const char *text) {
    for (; *text != '\0'; text += 1) {
        while (UART_STATUS_TXFIFO_CNT(UART0_STATUS) >= UART_FIFO_BYTES - 1) {
        }
        UART0_FIFO = (uint8_t)*text;
    }
}

void board_init(void) {
    WDT_CTL &= ~WDT_CTL_ENABLE;
    clock_init();
    channel_init();
}

/* The last byte may still leave the shift register: nothing here stops the port's clock. */
_Noreturn void board_exit(void) {
    while (UART_STATUS_TXFIFO_CNT(UART0_STATUS) != 0) {
    }
    xtensa_sleep_for_ever();
}
