/* OTG_FS of the STM32F446 as a device (RM0390), by polling. */
#include "cdc.h"

#define R(address) (*(volatile uint32_t *)(address))
#define OTG 0x50000000u
#define GOTGCTL R(OTG + 0x000)
#define GUSBCFG R(OTG + 0x00C)
#define GRSTCTL R(OTG + 0x010)
#define GINTSTS R(OTG + 0x014)
#define GRXSTSP R(OTG + 0x020)
#define GRXFSIZ R(OTG + 0x024)
#define DIEPTXF0 R(OTG + 0x028)
#define DIEPTXF(fifo) R(OTG + 0x100 + 4 * (fifo))
#define GCCFG R(OTG + 0x038)
#define DCFG R(OTG + 0x800)
#define DCTL R(OTG + 0x804)
#define DIEPCTL(endpoint) R(OTG + 0x900 + 0x20 * (endpoint))
#define DIEPINT(endpoint) R(OTG + 0x908 + 0x20 * (endpoint))
#define DIEPTSIZ(endpoint) R(OTG + 0x910 + 0x20 * (endpoint))
#define DOEPCTL(endpoint) R(OTG + 0xB00 + 0x20 * (endpoint))
#define DOEPTSIZ(endpoint) R(OTG + 0xB10 + 0x20 * (endpoint))
#define FIFO(endpoint) R(OTG + 0x1000 + 0x1000 * (endpoint))

#define EPENA (1u << 31)
#define CNAK (1u << 26)
#define STALL (1u << 21)

static uint32_t request[2];

void port_receive(uint8_t endpoint) {
    DOEPTSIZ(endpoint) = 3u << 29 | 1 << 19 | 64;
    DOEPCTL(endpoint) |= EPENA | CNAK;
}

void port_receive_status(void) { port_receive(0); }

void port_stall(void) {
    DIEPCTL(0) |= STALL;
    DOEPCTL(0) |= STALL;
}

void port_address(uint8_t address, uint8_t confirmed) {
    if (!confirmed) {
        DCFG = (DCFG & ~(0x7Fu << 4)) | (uint32_t)address << 4;
    }
}

void port_configure(void) {
    DIEPCTL(NOTICES) = 1u << 28 | 1 << 27 | NOTICES << 22 | 3 << 18 | 1 << 15 | 8;
    DIEPCTL(INPUT) = 1u << 28 | 1 << 27 | INPUT << 22 | 2 << 18 | 1 << 15 | 64;
    DOEPCTL(OUTPUT) = 1u << 28 | 2 << 18 | 1 << 15 | 64;
    port_receive(OUTPUT);
}

void port_send(uint8_t endpoint, const uint8_t *data, uint8_t length, uint8_t in_flash) {
    (void)in_flash;
    DIEPTSIZ(endpoint) = 1 << 19 | length;
    DIEPCTL(endpoint) |= EPENA | CNAK;
    for (uint8_t place = 0; place < length; place += 4) {
        uint32_t word = 0;
        for (uint8_t byte = 0; byte < 4 && place + byte < length; byte++) {
            word |= (uint32_t)data[place + byte] << (8 * byte);
        }
        FIFO(endpoint) = word;
    }
}

static void received(void) {
    uint32_t status = GRXSTSP, words[16];
    uint8_t endpoint = status & 15, length = status >> 4 & 0x7F;
    for (uint8_t word = 0; word < (length + 3) / 4; word++) {
        words[word] = FIFO(0);
    }
    switch (status >> 17 & 15) {
    case 6:
        request[0] = words[0];
        request[1] = words[1];
        break;
    case 4: cdc_setup((const uint8_t *)request); break;
    case 2:
        if (endpoint != 0 || length != 0) {
            cdc_received(endpoint, (const uint8_t *)words, length);
        }
        break;
    }
}

void port_poll(void) {
    uint32_t flags = GINTSTS;
    if (flags & 1 << 12) {
        GINTSTS = 1 << 12;
        DCFG &= ~(0x7Fu << 4);
        GRSTCTL = 1 << 5 | 16 << 6;
        while (GRSTCTL & 1 << 5) {}
        DOEPTSIZ(0) = 3u << 29 | 1 << 19 | 64;
        cdc_reset();
    }
    if (flags & 1 << 13) {
        GINTSTS = 1 << 13;
        DIEPCTL(0) = 1 << 27;
    }
    if (flags & 1 << 4) {
        received();
    }
    for (uint8_t endpoint = 0; endpoint <= INPUT; endpoint++) {
        if (DIEPINT(endpoint) & 1) {
            DIEPINT(endpoint) = 1;
            cdc_sent(endpoint);
        }
    }
}

/* 96 MHz from HSI, 48 MHz of it for USB (Q). */
void port_start(void) {
    R(0x40023C00) = 3;
    R(0x40023804) = 16 | 192 << 6 | 0 << 16 | 4 << 24 | 2u << 28;
    R(0x40023800) |= 1 << 24;
    while (!(R(0x40023800) & 1 << 25)) {}
    R(0x40023808) = 5 << 10 | 4 << 13 | 2;
    while ((R(0x40023808) & 0xC) != 8) {}
    R(0x40023830) |= 1;
    R(0x40023834) |= 1 << 7;
    R(0x40020000) = (R(0x40020000) & ~(15u << 22)) | 10u << 22; /* PA11, PA12 */
    R(0x40020024) = (R(0x40020024) & ~(0xFFu << 12)) | 0xAAu << 12;
    GUSBCFG = 1 << 30 | 6 << 10 | 1 << 6;
    GRSTCTL |= 1;
    while (GRSTCTL & 1) {}
    while (!(GRSTCTL & 1u << 31)) {}
    GOTGCTL |= 3 << 6; /* the session is valid: VBUS is not looked at */
    GRXFSIZ = 128;
    DIEPTXF0 = 32 << 16 | 128;
    DIEPTXF(NOTICES) = 16 << 16 | 160;
    DIEPTXF(INPUT) = 64 << 16 | 192;
    DCFG |= 3;
    GCCFG = 1 << 16;
    DCTL &= ~2u;
}
