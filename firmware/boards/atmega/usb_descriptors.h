/* What the serial port says of itself to the computer (USB 2.0, 9.6; CDC 1.2, 5.2; PSTN 1.2, 5.3): a device with two
 * interfaces, one for notices that never come and one for data. The ids are those that pid.codes keeps for tests. */
#ifndef CYCLESCOPE_ATMEGA_USB_DESCRIPTORS_H
#define CYCLESCOPE_ATMEGA_USB_DESCRIPTORS_H

#include <avr/pgmspace.h>
#include <stdint.h>

/** Bytes of a packet of endpoint 0, and of both data endpoints. */
#define USB_PACKET 64
/** Endpoints. */
#define USB_NOTICES 1
#define USB_OUTPUT 2 /* from the computer */
#define USB_INPUT 3  /* to the computer */
#define USB_IN 0x80

#define USB_WORD(value) (value) & 0xFF, (value) >> 8

static const uint8_t usb_device[] PROGMEM = {
    18,   1,          USB_WORD(0x0200), 2, 0, 0, USB_PACKET, /* a communications device */
    USB_WORD(0x1209), USB_WORD(0x0001), USB_WORD(0x0100),    /* maker, product, release */
    1,    2,          0,                1,                   /* texts, and one configuration */
};

/** The bytes of the configuration with all that belongs to it. */
#define USB_CONFIGURATION_BYTES (9 + 9 + 5 + 5 + 4 + 5 + 7 + 9 + 7 + 7)

static const uint8_t usb_configuration[USB_CONFIGURATION_BYTES] PROGMEM = {
    9, 2, USB_WORD(USB_CONFIGURATION_BYTES), 2, 1, 0, 0x80, 250, /* powered by the bus, 500 mA */
    9, 4, 0, 0, 1, 2, 2, 1, 0,                                   /* a modem of the abstract control model */
    5, 0x24, 0, USB_WORD(0x0110),
    5, 0x24, 1, 0, 1, /* no call management */
    4, 0x24, 2, 2,    /* line coding and line state */
    5, 0x24, 6, 0, 1, /* interface 0 controls interface 1 */
    7, 5, USB_IN | USB_NOTICES, 3, USB_WORD(16), 64,
    9, 4, 1, 0, 2, 10, 0, 0, 0, /* its data */
    7, 5, USB_OUTPUT, 2, USB_WORD(USB_PACKET), 0,
    7, 5, USB_IN | USB_INPUT, 2, USB_WORD(USB_PACKET), 0,
};

static const uint8_t usb_languages[] PROGMEM = {4, 3, USB_WORD(0x0409)};
static const uint8_t usb_maker[] PROGMEM = {22, 3, 'c', 0, 'y', 0, 'c', 0, 'l', 0, 'e', 0,
                                            's', 0, 'c', 0, 'o', 0, 'p', 0, 'e', 0};
static const uint8_t usb_product[] PROGMEM = {20, 3, 'P', 0, 'r', 0, 'o', 0, ' ', 0,
                                              'M', 0, 'i', 0, 'c', 0, 'r', 0, 'o', 0};

#endif
