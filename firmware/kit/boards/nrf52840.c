/* nRF52840 DK at 64 MHz from the crystal. Its flash has wait states whatever its settings, so that sequences without a memory of
 * their own run in RAM, at its addresses in the code region, with the vectors beside them. */
#include "kit.h"

#include "cyccnt.h"
#include "nrf52840.h"

/* TXD is P0.06, wired to the debug probe's virtual port (PCA10056). The pin must be an output, high, before the port has it
 * ("UART", pin configuration). */
#define TXD_PIN 6u

/* 16 of the core, 48 of the part; a table lies at a multiple of its size, rounded up to a power of two (DDI 0403, B3.2.5). */
#define VECTORS 64u

const char kit_board[] = "chip=nrf52840 clock=64000000 serial=P0.06@115200";

extern uint32_t _sikit_code[], _skit_code[], _ekit_code[], _sisr_vector[];

static uint32_t vectors[VECTORS] __attribute__((aligned(256), section(".kit_code.vectors")));

void kit_start(void) {
    const uint32_t *from = _sikit_code;
    for (uint32_t *to = _skit_code; to < _ekit_code;) {
        *to++ = *from++;
    }
    for (uint32_t vector = 0; vector < VECTORS; vector += 1) {
        vectors[vector] = _sisr_vector[vector];
    }
    SCB_VTOR = (uint32_t)vectors;
    __asm volatile("dsb\n\tisb" ::: "memory"); /* what was written is fetched next */

    CLOCK_EVENTS_HFCLKSTARTED = 0;
    CLOCK_TASKS_HFCLKSTART = 1;
    while (CLOCK_EVENTS_HFCLKSTARTED == 0) {
    }
    GPIO_OUTSET(P0) = 1u << TXD_PIN;
    GPIO_DIRSET(P0) = 1u << TXD_PIN;
    UART0_PSEL_TXD = TXD_PIN;
    UART0_BAUDRATE = UART_BAUDRATE_115200;
    UART0_ENABLE = UART_ENABLE_UART;
    UART0_TASKS_STARTTX = 1;
    /* The event tells that a byte is gone; set by hand, that the first may come. */
    UART0_EVENTS_TXDRDY = 1;
    cyccnt_start();
}

static void sent(void) {
    while (UART0_EVENTS_TXDRDY == 0) {
    }
}

void kit_put(char byte) {
    sent();
    UART0_EVENTS_TXDRDY = 0;
    UART0_TXD = (uint8_t)byte;
}

/* Nothing but the cache can be set, and to turn it off empties it. */
void kit_memory(uint32_t flags) {
    NVMC_ICACHECNF = 0;
    NVMC_ICACHECNF = (flags & KIT_CACHE) != 0 ? NVMC_ICACHECNF_CACHEEN : 0;
}

_Noreturn void kit_end(void) {
    sent();
    sleep_for_ever();
}
