/* A serial port over the USB of the ATmega32U4 (7766J, chapters 21 and 22; CDC 1.2, abstract control model).
 *
 * Two interrupts do the work: USB_GEN at the end of a bus reset, at each start of frame and around a suspension, USB_COM
 * when endpoint 0 has a request, room or data, or when the computer has sent something. None of them waits. What the
 * program writes goes into a bank of 64 bytes; a full one is handed over at once, any other at the next start of frame.
 * What the computer sends is thrown away: this board only speaks. Both interrupts leave UENUM as they found it. */
#ifndef CYCLESCOPE_ATMEGA_USB_SERIAL_H
#define CYCLESCOPE_ATMEGA_USB_SERIAL_H

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdbool.h>
#include <util/atomic.h>

#include "usb_descriptors.h"

/** Requests (USB 2.0, table 9-4; PSTN 1.2, table 13), each with its direction, kind and recipient before it. */
#define USB_REQUEST(type, request) ((uint16_t)((type) << 8 | (request)))
#define USB_GET_STATUS_DEVICE USB_REQUEST(0x80, 0)
#define USB_GET_STATUS_INTERFACE USB_REQUEST(0x81, 0)
#define USB_GET_STATUS_ENDPOINT USB_REQUEST(0x82, 0)
#define USB_CLEAR_FEATURE_ENDPOINT USB_REQUEST(0x02, 1)
#define USB_SET_FEATURE_ENDPOINT USB_REQUEST(0x02, 3)
#define USB_SET_ADDRESS USB_REQUEST(0x00, 5)
#define USB_GET_DESCRIPTOR USB_REQUEST(0x80, 6)
#define USB_GET_CONFIGURATION USB_REQUEST(0x80, 8)
#define USB_SET_CONFIGURATION USB_REQUEST(0x00, 9)
#define USB_SET_LINE_CODING USB_REQUEST(0x21, 0x20)
#define USB_GET_LINE_CODING USB_REQUEST(0xA1, 0x21)
#define USB_SET_CONTROL_LINE_STATE USB_REQUEST(0x21, 0x22)

/** DTR: somebody has opened the port. */
static volatile bool usb_open;

/** The request under way: what is still to be sent, from flash or RAM, and if an empty packet must end it. */
static const uint8_t *usb_rest;
static uint8_t usb_rest_bytes;
static bool usb_rest_in_flash, usb_rest_padded;
/** The address that comes into force with the confirmation of its request; 0: none. */
static uint8_t usb_new_address;
/** The data of the request are line coding. */
static bool usb_takes_coding;
static uint8_t usb_coding[7] = {0x00, 0xC2, 0x01, 0x00, 0, 0, 8}; /* 115200, one stop bit, no parity, 8 bits */
static uint8_t usb_status[2];
static uint8_t usb_configured;
/** The last packet was full: until a shorter one follows, the computer may wait for more. */
static bool usb_last_full;

/** Opens an endpoint; a lower number first, as the memory is given out (7766J, 21.9). */
static inline void usb_endpoint(uint8_t number, uint8_t kind, uint8_t size, uint8_t interrupts) {
    UENUM = number;
    UECONX = _BV(EPEN) | _BV(RSTDT);
    UECFG0X = kind;
    UECFG1X = size | _BV(ALLOC);
    UEIENX = interrupts;
}

/** The selected endpoint's bank goes to the computer. */
static inline void usb_hand_over(void) {
    usb_last_full = UEBCLX == USB_PACKET;
    UEINTX = (uint8_t) ~(_BV(FIFOCON) | _BV(TXINI) | _BV(RXOUTI));
}

/** The computer's side of the port begins anew. */
static inline void usb_begin(void) {
    usb_endpoint(0, 0, 3 << EPSIZE0, _BV(RXSTPE) | _BV(RXOUTE));
    usb_open = usb_takes_coding = usb_last_full = false;
    usb_configured = usb_new_address = usb_rest_bytes = 0;
    usb_rest_padded = false;
}

ISR(USB_GEN_vect) {
    uint8_t selected = UENUM;
    uint8_t flags = UDINT & UDIEN;

    if ((flags & _BV(WAKEUPI)) != 0) {
        USBCON &= (uint8_t)~_BV(FRZCLK);
        UDIEN = _BV(EORSTE) | _BV(SOFE) | _BV(SUSPE);
        UDINT = (uint8_t) ~(_BV(WAKEUPI) | _BV(SUSPI));
    }
    if ((flags & _BV(EORSTI)) != 0) {
        UDINT = (uint8_t)~_BV(EORSTI);
        usb_begin();
    }
    if ((flags & _BV(SOFI)) != 0) {
        UDINT = (uint8_t)~_BV(SOFI);
        if (usb_configured != 0) {
            UENUM = USB_INPUT;
            if ((UEINTX & _BV(RWAL)) != 0 && (UEBCLX != 0 || usb_last_full)) {
                usb_hand_over();
            }
        }
    }
    if ((flags & _BV(SUSPI)) != 0 && (flags & _BV(WAKEUPI)) == 0) {
        UDINT = (uint8_t) ~(_BV(SUSPI) | _BV(WAKEUPI));
        UDIEN = _BV(WAKEUPE);
        USBCON |= _BV(FRZCLK);
    }
    UENUM = selected;
}

/** The next packet of an answer, or the confirmation of a request. Endpoint 0 is selected and has room. */
static void usb_send_rest(void) {
    uint8_t bytes = usb_rest_bytes < USB_PACKET ? usb_rest_bytes : USB_PACKET;

    usb_rest_bytes -= bytes;
    usb_rest_padded = usb_rest_padded && bytes == USB_PACKET;
    for (uint8_t k = 0; k < bytes; k += 1) {
        UEDATX = usb_rest_in_flash ? pgm_read_byte(usb_rest) : *usb_rest;
        usb_rest += 1;
    }
    UEINTX = (uint8_t)~_BV(TXINI);
    if (usb_rest_bytes != 0 || usb_rest_padded || usb_new_address != 0) {
        UEIENX = _BV(RXSTPE) | _BV(RXOUTE) | _BV(TXINE);
    } else {
        UEIENX = _BV(RXSTPE) | _BV(RXOUTE);
    }
}

/** Begins an answer with data, of which the computer wants no more than `wanted` bytes. */
static void usb_answer(const uint8_t *data, uint8_t bytes, bool in_flash, uint16_t wanted) {
    usb_rest = data;
    usb_rest_bytes = wanted < bytes ? (uint8_t)wanted : bytes;
    usb_rest_padded = wanted > bytes && bytes % USB_PACKET == 0;
    usb_rest_in_flash = in_flash;
    usb_send_rest();
}

static void usb_stall(void) { UECONX = _BV(STALLRQ) | _BV(EPEN); }

static void usb_descriptor(uint8_t type, uint8_t index, uint16_t wanted) {
    switch (type << 4 | index) {
    case 0x10: usb_answer(usb_device, sizeof usb_device, true, wanted); return;
    case 0x20: usb_answer(usb_configuration, sizeof usb_configuration, true, wanted); return;
    case 0x30: usb_answer(usb_languages, sizeof usb_languages, true, wanted); return;
    case 0x31: usb_answer(usb_maker, sizeof usb_maker, true, wanted); return;
    case 0x32: usb_answer(usb_product, sizeof usb_product, true, wanted); return;
    default: usb_stall(); return;
    }
}

/** Halts an endpoint, or ends its halt. Endpoint 0 is selected before and after. */
static void usb_halt(uint8_t endpoint, bool halted) {
    UENUM = endpoint & 7;
    UECONX = halted ? _BV(STALLRQ) | _BV(EPEN) : _BV(STALLRQC) | _BV(RSTDT) | _BV(EPEN);
    UENUM = 0;
}

static void usb_configure(uint8_t value) {
    usb_configured = value;
    usb_open = usb_last_full = false;
    if (value != 0) {
        usb_endpoint(USB_NOTICES, 3 << EPTYPE0 | _BV(EPDIR), 1 << EPSIZE0, 0);
        usb_endpoint(USB_OUTPUT, 2 << EPTYPE0, 3 << EPSIZE0 | _BV(EPBK0), _BV(RXOUTE));
        usb_endpoint(USB_INPUT, 2 << EPTYPE0 | _BV(EPDIR), 3 << EPSIZE0 | _BV(EPBK0), 0);
        UERST = _BV(USB_NOTICES) | _BV(USB_OUTPUT) | _BV(USB_INPUT);
        UERST = 0;
    }
    UENUM = 0;
}

/** Endpoint 0, which is selected, has a request. */
static void usb_setup(void) {
    uint8_t type = UEDATX, name = UEDATX, low = UEDATX, high = UEDATX, index = UEDATX;
    uint16_t wanted;

    (void)UEDATX;
    wanted = UEDATX;
    wanted |= (uint16_t)UEDATX << 8;
    UEINTX = (uint8_t)~_BV(RXSTPI);
    usb_takes_coding = usb_rest_padded = false;
    usb_rest_bytes = usb_new_address = 0;
    switch (USB_REQUEST(type, name)) {
    case USB_GET_DESCRIPTOR: usb_descriptor(high, low, wanted); return;
    case USB_GET_CONFIGURATION: usb_answer(&usb_configured, 1, false, wanted); return;
    case USB_GET_LINE_CODING: usb_answer(usb_coding, sizeof usb_coding, false, wanted); return;
    case USB_GET_STATUS_DEVICE:
    case USB_GET_STATUS_INTERFACE: usb_status[0] = 0; break;
    case USB_GET_STATUS_ENDPOINT:
        UENUM = index & 7;
        usb_status[0] = (UECONX & _BV(STALLRQ)) != 0;
        UENUM = 0;
        break;
    case USB_SET_ADDRESS:
        usb_new_address = low;
        UDADDR = low;
        usb_send_rest();
        return;
    case USB_SET_CONFIGURATION:
        if (low > 1) {
            usb_stall();
            return;
        }
        usb_configure(low);
        usb_send_rest();
        return;
    case USB_CLEAR_FEATURE_ENDPOINT:
    case USB_SET_FEATURE_ENDPOINT:
        if ((index & 7) == 0 || (index & 7) > USB_INPUT) {
            usb_stall();
            return;
        }
        usb_halt(index, name == 3);
        usb_send_rest();
        return;
    case USB_SET_LINE_CODING: usb_takes_coding = true; return;
    case USB_SET_CONTROL_LINE_STATE:
        usb_open = (low & 1) != 0;
        usb_send_rest();
        return;
    default: usb_stall(); return;
    }
    usb_answer(usb_status, sizeof usb_status, false, wanted);
}

/** Endpoint 0, which is selected, has data, or the computer's confirmation of an answer. */
static void usb_control_data(void) {
    uint8_t bytes = UEBCLX;

    if (usb_takes_coding) {
        for (uint8_t k = 0; k < bytes && k < sizeof usb_coding; k += 1) {
            usb_coding[k] = UEDATX;
        }
    }
    UEINTX = (uint8_t)~_BV(RXOUTI);
    if (usb_takes_coding) {
        usb_takes_coding = false;
        usb_send_rest();
    }
}

ISR(USB_COM_vect) {
    uint8_t selected = UENUM;
    uint8_t flags;

    UENUM = 0;
    flags = UEINTX;
    if ((flags & _BV(RXSTPI)) != 0) {
        usb_setup();
    } else if ((flags & _BV(RXOUTI)) != 0) {
        usb_control_data();
    } else if ((flags & _BV(TXINI) & UEIENX) != 0) {
        if (usb_new_address != 0) {
            UDADDR = usb_new_address | _BV(ADDEN);
            usb_new_address = 0;
            UEIENX = _BV(RXSTPE) | _BV(RXOUTE);
        } else {
            usb_send_rest();
        }
    }
    if (usb_configured != 0) {
        UENUM = USB_OUTPUT;
        if ((UEINTX & _BV(RXOUTI)) != 0) {
            UEINTX = (uint8_t) ~(_BV(RXOUTI) | _BV(FIFOCON));
        }
    }
    UENUM = selected;
}

/** Shows the computer a device: the regulator and the pads on, 48 MHz from the PLL, the pull-up at D+. */
static inline void usb_start(void) {
    UHWCON = _BV(UVREGE);
    USBCON = _BV(USBE) | _BV(FRZCLK) | _BV(OTGPADE);
    PLLCSR = _BV(PINDIV) | _BV(PLLE);
    while ((PLLCSR & _BV(PLOCK)) == 0) {
    }
    USBCON = _BV(USBE) | _BV(OTGPADE);
    UDIEN = _BV(EORSTE) | _BV(SOFE) | _BV(SUSPE);
    UDCON = 0;
    sei();
}

/** Writes a text, and waits for room; what nobody reads is lost. */
static inline void usb_write(const char *text) {
    while (*text != '\0' && usb_open) {
        ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
            UENUM = USB_INPUT;
            if ((UEINTX & _BV(RWAL)) != 0) {
                UEDATX = (uint8_t)*text;
                text += 1;
                if ((UEINTX & _BV(RWAL)) == 0) {
                    usb_hand_over();
                }
            }
        }
    }
}

/** Waits until all that was written has reached the computer. A start of frame hands the last bank over. */
static inline void usb_drain(void) {
    bool waits = true;

    while (waits && usb_open) {
        ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
            UENUM = USB_INPUT;
            waits = UEBCLX != 0 || usb_last_full || (UESTA0X & (_BV(NBUSYBK1) | _BV(NBUSYBK0))) != 0;
        }
    }
}

#endif
