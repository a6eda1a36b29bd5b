#include "cdc.h"

static const uint8_t device[] CONSTANT = {18, 1, 0, 2, 2, 0, 0, 64, 0x09, 0x12, 0x01, 0x00, 0, 1, 1, 2, 0, 1};
static const uint8_t configuration[] CONSTANT = {
    9, 2, 67, 0, 2, 1, 0, 0x80, 50,
    9, 4, 0, 0, 1, 2, 2, 1, 0, 5, 0x24, 0, 0x10, 1, 5, 0x24, 1, 0, 1, 4, 0x24, 2, 2, 5, 0x24, 6, 0, 1,
    7, 5, 0x80 | NOTICES, 3, 8, 0, 16,
    9, 4, 1, 0, 2, 10, 0, 0, 0, 7, 5, OUTPUT, 2, 64, 0, 0, 7, 5, 0x80 | INPUT, 2, 64, 0, 0};
static const uint8_t languages[] CONSTANT = {4, 3, 9, 4};
static const uint8_t maker[] CONSTANT = {12, 3, 's', 0, 'u', 0, 'i', 0, 't', 0, 'e', 0};
static const uint8_t name[] CONSTANT = {10, 3, 'e', 0, 'c', 0, 'h', 0, 'o', 0};

static const uint8_t *rest; /* of the data stage */
static uint8_t rest_length, rest_padded, in_flash;
static uint8_t coding[7] = {0x00, 0xC2, 0x01, 0x00, 0, 0, 8};
static uint8_t address;
static uint8_t stage; /* 0 none, 1 data in, 2 status in, 3 data out */
static volatile uint8_t open, greeted, input_busy;
static uint8_t held[64], held_length, held_at;

void cdc_reset(void) {
    stage = open = greeted = input_busy = held_length = 0;
}

static void send_rest(void) {
    uint8_t length = rest_length < 64 ? rest_length : 64;
    port_send(0, rest, length, in_flash);
    rest += length;
    rest_length -= length;
    if (length < 64) {
        rest_padded = 0;
    }
}

/* The data stage of a request that asks for `asked` bytes. */
static void answer(const uint8_t *data, uint8_t length, uint8_t flash, const uint8_t *request) {
    uint8_t asked = request[7] ? 255 : request[6];
    rest = data;
    rest_padded = length < asked && length % 64 == 0;
    rest_length = length < asked ? length : asked;
    in_flash = flash;
    stage = 1;
    send_rest();
}

static void confirm(void) {
    stage = 2;
    port_send(0, 0, 0, 0);
}

void cdc_setup(const uint8_t *request) {
    static const uint8_t zero[2];
    stage = 0;
    if (request[0] == 0x80 && request[1] == 6) {
        switch (request[3]) {
        case 1: answer(device, sizeof device, 1, request); return;
        case 2: answer(configuration, sizeof configuration, 1, request); return;
        case 3:
            switch (request[2]) {
            case 0: answer(languages, sizeof languages, 1, request); return;
            case 1: answer(maker, sizeof maker, 1, request); return;
            case 2: answer(name, sizeof name, 1, request); return;
            }
        }
    } else if (request[0] == 0x80 && request[1] == 0) {
        answer(zero, 2, 0, request);
        return;
    } else if (request[0] == 0 && request[1] == 5) {
        address = request[2];
        port_address(address, 0);
        confirm();
        return;
    } else if (request[0] == 0 && request[1] == 9) {
        port_configure();
        confirm();
        return;
    } else if (request[0] == 0x21 && request[1] == 0x20) {
        stage = 3;
        port_receive(0);
        return;
    } else if (request[0] == 0xA1 && request[1] == 0x21) {
        answer(coding, sizeof coding, 0, request);
        return;
    } else if (request[0] == 0x21 && request[1] == 0x22) {
        open = request[2] & 1;
        confirm();
        return;
    }
    port_stall();
}

void cdc_sent(uint8_t endpoint) {
    if (endpoint == INPUT) {
        input_busy = 0;
    } else if (endpoint == 0 && stage == 1) {
        if (rest_length || rest_padded) {
            send_rest();
        } else {
            stage = 0;
            port_receive_status();
        }
    } else if (endpoint == 0 && stage == 2) {
        stage = 0;
        if (address) {
            port_address(address, 1);
            address = 0;
        }
    }
}

void cdc_received(uint8_t endpoint, const uint8_t *data, uint8_t length) {
    if (endpoint == 0) {
        if (stage == 3) {
            for (uint8_t place = 0; place < length && place < 7; place++) {
                coding[place] = data[place];
            }
            confirm();
        }
        return;
    }
    for (held_length = 0; held_length < length; held_length++) {
        uint8_t letter = data[held_length];
        held[held_length] = letter >= 'a' && letter <= 'z' ? letter - 32 : letter;
    }
    held_at = 0;
}

/* Greets who opens the port, then answers in capitals. */
int main(void) {
    static const char greeting[] = "ready\n";
    port_start();
    for (;;) {
        port_poll();
        if (!open) {
            greeted = 0;
        } else if (!greeted && !input_busy) {
            greeted = input_busy = 1;
            port_send(INPUT, (const uint8_t *)greeting, sizeof greeting - 1, 0);
        } else if (held_length && !input_busy) {
            input_busy = 1;
            port_send(INPUT, held, held_length, 0);
            held_length = 0;
            port_receive(OUTPUT);
        }
    }
}
