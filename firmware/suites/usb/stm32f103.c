/* The USB device of the STM32F103 (RM0008), by polling. */
#include "cdc.h"

#define R(address) (*(volatile uint32_t *)(address))
#define EPR(endpoint) R(0x40005C00 + 4 * (endpoint))
#define CNTR R(0x40005C40)
#define ISTR R(0x40005C44)
#define DADDR R(0x40005C4C)
#define BTABLE R(0x40005C50)
#define PMA(place) R(0x40006000 + 2 * (place)) /* by the device's byte address */

#define TOGGLED 0x7070
#define KEPT 0x070F
#define CTR 0x8080

static uint8_t address;

static void status(uint8_t endpoint, uint16_t mask, uint16_t value) {
    uint32_t now = EPR(endpoint);
    EPR(endpoint) = (now & KEPT) | CTR | ((now & mask) ^ value);
}

static void transmit(uint8_t endpoint, uint16_t value) { status(endpoint, 0x0030, value << 4); }
static void receive(uint8_t endpoint, uint16_t value) { status(endpoint, 0x3000, value << 12); }

void port_receive(uint8_t endpoint) { receive(endpoint, 3); }
void port_receive_status(void) { receive(0, 3); }

void port_stall(void) {
    transmit(0, 1);
    receive(0, 1);
}

void port_address(uint8_t new, uint8_t confirmed) {
    address = new;
    if (confirmed) {
        DADDR = 0x80 | address;
    }
}

static uint16_t buffer(uint8_t endpoint, uint8_t out) { return 64 + 128 * endpoint + (out ? 64 : 0); }

static void open(uint8_t endpoint, uint16_t type) {
    PMA(endpoint * 8) = buffer(endpoint == INPUT ? 2 : endpoint, 0);
    PMA(endpoint * 8 + 4) = buffer(endpoint, 1);
    PMA(endpoint * 8 + 6) = 0x8000 | 1 << 10; /* 64 bytes */
    EPR(endpoint) = type | endpoint;
}

void port_configure(void) {
    open(NOTICES, 0x0600);
    transmit(NOTICES, 2);
    open(OUTPUT, 0);
    receive(OUTPUT, 3);
    open(INPUT, 0);
    transmit(INPUT, 2);
}

void port_send(uint8_t endpoint, const uint8_t *data, uint8_t length, uint8_t in_flash) {
    uint16_t to = PMA(endpoint * 8);
    (void)in_flash;
    for (uint8_t place = 0; place < length; place += 2) {
        PMA(to + place) = data[place] | (place + 1 < length ? data[place + 1] << 8 : 0);
    }
    PMA(endpoint * 8 + 2) = length;
    transmit(endpoint, 3);
}

void port_poll(void) {
    uint32_t istr = ISTR;
    if (istr & 1 << 10) {
        ISTR = (uint16_t)~(1 << 10);
        BTABLE = 0;
        open(0, 0x0200);
        receive(0, 3);
        transmit(0, 2);
        DADDR = 0x80;
        cdc_reset();
    }
    if (!(istr & 1 << 15)) {
        return;
    }
    uint8_t endpoint = istr & 15;
    uint32_t now = EPR(endpoint);
    if (now & 0x8000) {
        uint8_t data[64], length = PMA(endpoint * 8 + 6) & 0x3FF;
        uint16_t from = PMA(endpoint * 8 + 4);
        for (uint8_t place = 0; place < length; place++) {
            data[place] = PMA(from + (place & ~1)) >> (place & 1 ? 8 : 0);
        }
        EPR(endpoint) = (now & KEPT) | 0x0080;
        if (now & 1 << 11) {
            cdc_setup(data);
        } else {
            cdc_received(endpoint, data, length);
        }
    }
    if (now & 0x0080) {
        EPR(endpoint) = (EPR(endpoint) & KEPT) | 0x8000;
        cdc_sent(endpoint);
    }
}

/* 72 MHz from a crystal of 8 MHz, two thirds of it for USB. */
void port_start(void) {
    R(0x40022000) = 0x12;
    R(0x40021000) |= 1 << 16;
    while (!(R(0x40021000) & 1 << 17)) {}
    R(0x40021004) = 0x001D0400;
    R(0x40021000) |= 1 << 24;
    while (!(R(0x40021000) & 1 << 25)) {}
    R(0x40021004) |= 2;
    while ((R(0x40021004) & 0xC) != 8) {}
    R(0x40021018) |= 1 << 2;
    /* D+ is held low for 10 ms, so that the host sees a new device. */
    R(0x40010810) = 1 << 28;
    R(0x40010804) = (R(0x40010804) & ~0xF0000) | 0x20000;
    for (volatile uint32_t wait = 0; wait < 80000; wait++) {}
    R(0x40010804) = (R(0x40010804) & ~0xF0000) | 0x40000;
    R(0x4002101C) |= 1 << 23;
    CNTR = 1;
    for (volatile uint32_t wait = 0; wait < 20; wait++) {}
    CNTR = 0;
    ISTR = 0;
}
