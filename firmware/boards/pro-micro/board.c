/* Arduino Pro Micro (ATmega32U4): 16 MHz crystal; the part's own USB goes to the computer, which opens a serial port there.
 * Start-up code, vectors and linker script are avr-libc's. */
#include "board.h"

#if !defined(CHANNEL_USB)
#error "define CHANNEL_USB: there is no other channel"
#endif

#include "usb_serial.h"

/* The clock of the processor needs nothing: the fuses select the crystal and no division. USB is up and the port is open
 * behind this, so that a frame's interrupt comes each millisecond from here on. */
void board_init(void) {
    usb_start();
    while (!usb_open) {
    }
}

void board_write(const char *text) { usb_write(text); }

/* The port stays as it is: who reads it has all the time in the world. */
_Noreturn void board_exit(void) {
    usb_drain();
    set_sleep_mode(SLEEP_MODE_IDLE);
    sleep_enable();
    for (;;) {
        sleep_cpu();
    }
}
