/* Raspberry Pi Pico at 12 MHz from the crystal. Its flash is serial, behind a cache, so that sequences without a memory of their own
 * run in RAM, with the vectors there. The second stage has set the flash's reads: four lines, the core's clock over 2. */
#include "kit.h"

#include "rp2040.h"

/* UART0's transmitter is function 2 of GPIO0. */
#define TX_PIN 0u
/* In 64ths of the clock over sixteen times the rate: 6 and 33 of 64, 115,108 baud. */
#define CLK_PERI_HZ 12000000u
#define BAUD 115200u
#define DIVISOR ((CLK_PERI_HZ * 4u + BAUD / 2u) / BAUD)
#define CLK_PERI_CTRL_XOSC (4u << 5)

/* A millisecond, as "Crystal Oscillator", startup delay, has it for a crystal of 12 MHz. */
#define STARTUP ((12000u + 128u) / 256u)

/* XIP ("XIP Cache") */
#define XIP_CTRL REG32(0x14000000u)
#define XIP_CTRL_EN (1u << 0)
#define XIP_FLUSH REG32(0x14000004u)

/* 16 of the core, 32 of the part; a table lies at a multiple of 256 bytes (DDI 0419, B3.2.5). */
#define VECTORS 48u

const char kit_board[] = "chip=rp2040 clock=12000000 serial=GPIO0@115200";

extern uint32_t _sisr_vector[];

static uint32_t vectors[VECTORS] __attribute__((aligned(256)));

static void clock_start(void) {
    XOSC_CTRL = XOSC_CTRL_1_15MHZ;
    XOSC_STARTUP = STARTUP;
    XOSC_CTRL = XOSC_CTRL_1_15MHZ | XOSC_CTRL_ENABLE;
    while ((XOSC_STATUS & XOSC_STATUS_STABLE) == 0) {
    }
    CLK_SYS_CTRL = CLK_SYS_CTRL_REF;
    while ((CLK_SYS_SELECTED & 1u << CLK_SYS_CTRL_REF) == 0) {
    }
    CLK_REF_CTRL = CLK_REF_CTRL_XOSC;
    while ((CLK_REF_SELECTED & 1u << CLK_REF_CTRL_XOSC) == 0) {
    }
    CLK_PERI_CTRL = CLK_PERI_CTRL_ENABLE | CLK_PERI_CTRL_XOSC;
}

void kit_start(void) {
    for (uint32_t vector = 0; vector < VECTORS; vector += 1) {
        vectors[vector] = _sisr_vector[vector];
    }
    SCB_VTOR = (uint32_t)vectors;

    clock_start();
    unreset(RESET_IO_BANK0 | RESET_PADS_BANK0 | RESET_UART0);
    UART0_IBRD = DIVISOR / 64u;
    UART0_FBRD = DIVISOR % 64u;
    UART0_LCR_H = UART_LCR_H_8_BITS | UART_LCR_H_FEN; /* which takes the divisors over, too */
    UART0_CR = UART_CR_UARTEN | UART_CR_TXE;
    IO_BANK0_CTRL(TX_PIN) = FUNCTION_UART;

    /* The counter: SysTick on the core's clock, down from its greatest value, without interrupts. */
    SYST_RVR = 0x00FFFFFFu;
    SYST_CVR = 0;
    SYST_CSR = SYST_CSR_CLKSOURCE_CPU | SYST_CSR_ENABLE;
}

void kit_put(char byte) {
    while ((UART0_FR & UART_FR_TXFF) != 0) {
    }
    UART0_DR = (uint8_t)byte;
}

/* A read of FLUSH ends with the flush. The cache stays on: without it the program itself would run too slowly to be timed by a
 * counter of 24 bits. */
void kit_memory(uint32_t flags) {
    (void)flags;
    XIP_CTRL |= XIP_CTRL_EN;
    XIP_FLUSH = 1;
    (void)XIP_FLUSH;
}

_Noreturn void kit_end(void) {
    while ((UART0_FR & UART_FR_BUSY) != 0) {
    }
    sleep_for_ever();
}
