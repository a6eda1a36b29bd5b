/*
 * SEGGER's Real Time Transfer, target side, written against the layout that SEGGER publishes (UM08001, "Real Time
 * Transfer": control block with a 16-byte identifier, the two buffer counts, then one 24-byte descriptor a buffer).
 * The probe finds the block by its identifier or by the symbol `_SEGGER_RTT`.
 */
#include "rtt.h"

#include <stdint.h>

struct rtt_buffer {
    const char *name;
    char *data;
    uint32_t size;
    volatile uint32_t write; /* moved by the target only */
    volatile uint32_t read;  /* moved by the probe only */
    uint32_t flags;
};

struct rtt_control {
    char identifier[16];
    int32_t up_count;
    int32_t down_count;
    struct rtt_buffer up[1];
};

#define RTT_MODE_NO_BLOCK_TRIM 1u

static char up_data[RTT_UP_BYTES];

__attribute__((used)) struct rtt_control _SEGGER_RTT;

void rtt_init(void) {
    /* The identifier is stored backwards, so that the probe cannot find a copy of it in flash, and last, so that it
     * never finds a block that is half set up. */
    static const char backwards[] = "TTR REGGES";
    const uint32_t length = sizeof backwards - 1;

    _SEGGER_RTT.up_count = 1;
    _SEGGER_RTT.down_count = 0;
    _SEGGER_RTT.up[0].name = "Terminal";
    _SEGGER_RTT.up[0].data = up_data;
    _SEGGER_RTT.up[0].size = RTT_UP_BYTES;
    _SEGGER_RTT.up[0].write = 0;
    _SEGGER_RTT.up[0].read = 0;
    _SEGGER_RTT.up[0].flags = RTT_MODE_NO_BLOCK_TRIM;
    __asm volatile("dmb" ::: "memory");
    for (uint32_t k = 0; k < length; k += 1) {
        ((volatile char *)_SEGGER_RTT.identifier)[k] = backwards[length - 1 - k];
    }
    __asm volatile("dmb" ::: "memory");
}

void rtt_write(const char *text) {
    struct rtt_buffer *up = &_SEGGER_RTT.up[0];
    uint32_t at = up->write;

    for (; *text != '\0'; text += 1) {
        uint32_t next = at + 1 == up->size ? 0 : at + 1;

        if (next == up->read) {
            break;
        }
        up->data[at] = *text;
        at = next;
    }
    __asm volatile("dmb" ::: "memory"); /* the probe must see the bytes before the offset that covers them */
    up->write = at;
}
