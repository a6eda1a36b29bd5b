/* The USB device of the ATmega32U4 (7766J), by polling. */
#include <avr/io.h>

#include "cdc.h"

void port_receive(uint8_t endpoint) { (void)endpoint; } /* a bank that is read is free */
void port_receive_status(void) {}

void port_stall(void) {
    UENUM = 0;
    UECONX = 1 << STALLRQ | 1 << EPEN;
}

void port_address(uint8_t address, uint8_t confirmed) { UDADDR = address | (confirmed ? 1 << ADDEN : 0); }

static void open(uint8_t endpoint, uint8_t type, uint8_t size) {
    UENUM = endpoint;
    UECONX = 1 << EPEN;
    UECFG0X = type;
    UECFG1X = size | 1 << ALLOC;
}

void port_configure(void) {
    open(NOTICES, 0xC1, 0x00);
    open(OUTPUT, 0x80, 0x34); /* 64 bytes, two banks */
    open(INPUT, 0x81, 0x34);
    UENUM = 0;
}

static volatile uint8_t sending; /* endpoint 0 has a packet under way */

void port_send(uint8_t endpoint, const uint8_t *data, uint8_t length, uint8_t in_flash) {
    UENUM = endpoint;
    while (!(UEINTX & 1 << TXINI)) {}
    if (endpoint != 0) {
        UEINTX = (uint8_t) ~(1 << TXINI | 1 << RXOUTI);
    }
    for (uint8_t place = 0; place < length; place++) {
        UEDATX = in_flash ? BYTE_OF(data + place) : data[place];
    }
    if (endpoint == 0) {
        UEINTX = (uint8_t) ~(1 << TXINI | 1 << RXOUTI);
        sending = 1;
    } else {
        UEINTX = (uint8_t) ~(1 << FIFOCON | 1 << RXOUTI);
        cdc_sent(endpoint);
    }
}

static void take(uint8_t endpoint) {
    uint8_t data[64], length = UEBCLX;
    for (uint8_t place = 0; place < length; place++) {
        data[place] = UEDATX;
    }
    UEINTX = (uint8_t) ~(endpoint ? 1 << RXOUTI | 1 << FIFOCON : 1 << RXOUTI);
    if (endpoint != 0 || length != 0) {
        cdc_received(endpoint, data, length);
    }
}

void port_poll(void) {
    if (UDINT & 1 << EORSTI) {
        UDINT = (uint8_t) ~(1 << EORSTI);
        open(0, 0x00, 0x30);
        sending = 0;
        cdc_reset();
    }
    UENUM = 0;
    if (UEINTX & 1 << RXSTPI) {
        uint8_t request[8];
        for (uint8_t place = 0; place < 8; place++) {
            request[place] = UEDATX;
        }
        sending = 0;
        UEINTX = (uint8_t) ~(1 << RXSTPI | 1 << RXOUTI);
        cdc_setup(request);
        UENUM = 0;
    }
    if (sending && UEINTX & 1 << TXINI) {
        sending = 0;
        cdc_sent(0);
        UENUM = 0;
    }
    if (UEINTX & 1 << RXOUTI) {
        take(0);
    }
    UENUM = OUTPUT;
    if (UEINTX & 1 << RXOUTI) {
        take(OUTPUT);
    }
}

/* The PLL makes 48 MHz of 16; the regulator and VBUS are on. */
void port_start(void) {
    UHWCON = 1 << UVREGE;
    USBCON = 1 << USBE | 1 << FRZCLK | 1 << OTGPADE;
    PLLCSR = 1 << PINDIV | 1 << PLLE;
    while (!(PLLCSR & 1 << PLOCK)) {}
    USBCON = 1 << USBE | 1 << OTGPADE;
    UDCON = 0;
}
