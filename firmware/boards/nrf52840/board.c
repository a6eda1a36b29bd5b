/* nRF52840 DK: 64 MHz from the crystal, the flash with its cache, and one channel out. */
#include "board.h"

#include "nrf52840.h"

#if defined(CHANNEL_UART) + defined(CHANNEL_RTT) != 1
#error "define exactly one of CHANNEL_UART, CHANNEL_RTT"
#endif

extern uint32_t _sisr_vector[];

/* The core runs at 64 MHz from reset on, by an oscillator that is exact to a few per cent; serial ports and timers want the
 * crystal ("CLOCK", HFCLK). The cache in front of flash is off after reset ("NVMC", ICACHECNF). */
static void clock_init(void) {
    CLOCK_EVENTS_HFCLKSTARTED = 0;
    CLOCK_TASKS_HFCLKSTART = 1;
    while (CLOCK_EVENTS_HFCLKSTARTED == 0) {
    }
    NVMC_ICACHECNF = NVMC_ICACHECNF_CACHEEN;
}

#if defined(CHANNEL_UART)

/* TXD is P0.06, wired to the debug probe's virtual port (PCA10056). The pin must be an output, high, before the port has it
 * ("UART", pin configuration). */
#define TXD_PIN 6u

static void channel_init(void) {
    GPIO_OUTSET(P0) = 1u << TXD_PIN;
    GPIO_DIRSET(P0) = 1u << TXD_PIN;
    UART0_PSEL_TXD = TXD_PIN;
    UART0_BAUDRATE = UART_BAUDRATE_115200;
    UART0_ENABLE = UART_ENABLE_UART;
    UART0_TASKS_STARTTX = 1;
    /* The event tells that a byte is gone; set by hand, that the first may come. */
    UART0_EVENTS_TXDRDY = 1;
}

static void channel_drain(void) {
    while (UART0_EVENTS_TXDRDY == 0) {
    }
}

void board_write(const char *text) {
    for (; *text != '\0'; text += 1) {
        channel_drain();
        UART0_EVENTS_TXDRDY = 0;
        UART0_TXD = (uint8_t)*text;
    }
}

#else

#include "rtt.h"

static void channel_init(void) { rtt_init(); }

void board_write(const char *text) { rtt_write(text); }

static void channel_drain(void) {} /* the report stands in RAM until a probe fetches it */

#endif

void board_init(void) {
    SCB_VTOR = (uint32_t)_sisr_vector;
    clock_init();
    channel_init();
}

_Noreturn void board_exit(void) {
    channel_drain();
    sleep_for_ever();
}
