/* Raspberry Pi Pico: 125 MHz from the crystal of 12 MHz and the PLL, the timer's tick, and one channel out. The cache in front of
 * flash is on after reset; the second stage has set the flash chip's reads. */
#include "board.h"

#include "rp2040.h"

#if defined(CHANNEL_UART) + defined(CHANNEL_RTT) != 1
#error "define exactly one of CHANNEL_UART, CHANNEL_RTT"
#endif

extern uint32_t _sisr_vector[];

#define CRYSTAL_MHZ 12u
/* A millisecond, as "Crystal Oscillator", startup delay, has it for a crystal of 12 MHz. */
#define STARTUP ((CRYSTAL_MHZ * 1000u + 128u) / 256u)
/* 12 MHz times 125 over 6 and 2 ("PLL", calculating PLL parameters). */
#define FEEDBACK 125u

static void clock_init(void) {
    XOSC_CTRL = XOSC_CTRL_1_15MHZ;
    XOSC_STARTUP = STARTUP;
    XOSC_CTRL = XOSC_CTRL_1_15MHZ | XOSC_CTRL_ENABLE;
    while ((XOSC_STATUS & XOSC_STATUS_STABLE) == 0) {
    }

    /* A debugger's reset of the core may have left the PLL in use: clk_sys leaves it before it is reset. */
    CLK_SYS_CTRL = CLK_SYS_CTRL_REF;
    while ((CLK_SYS_SELECTED & 1u << CLK_SYS_CTRL_REF) == 0) {
    }
    CLK_REF_CTRL = CLK_REF_CTRL_XOSC;
    while ((CLK_REF_SELECTED & 1u << CLK_REF_CTRL_XOSC) == 0) {
    }

    SET_BITS(RESETS_RESET) = RESET_PLL_SYS;
    unreset(RESET_PLL_SYS);
    PLL_FBDIV_INT = FEEDBACK;
    CLEAR_BITS(PLL_PWR) = PLL_PWR_PD | PLL_PWR_VCOPD;
    while ((PLL_CS & PLL_CS_LOCK) == 0) {
    }
    PLL_PRIM = PLL_PRIM_POSTDIV(6u, 2u);
    CLEAR_BITS(PLL_PWR) = PLL_PWR_POSTDIVPD;

    CLK_SYS_CTRL = CLK_SYS_CTRL_AUX;
    while ((CLK_SYS_SELECTED & 1u << CLK_SYS_CTRL_AUX) == 0) {
    }
    CLK_PERI_CTRL = CLK_PERI_CTRL_ENABLE;

    /* The timer counts the watchdog's tick, once a microsecond, from here on. */
    WATCHDOG_TICK = WATCHDOG_TICK_ENABLE | CRYSTAL_MHZ;
    unreset(RESET_TIMER);
}

#if defined(CHANNEL_UART)

/* UART0's transmitter, which is function 2 of GPIO0. */
#define TX_PIN 0u

/* In 64ths of the clock over sixteen times the rate: 67 and 52 of 64, 115,207 baud. */
#define BAUD 115200u
#define DIVISOR ((RP2040_CLK_PERI_HZ * 4u + BAUD / 2u) / BAUD)

/* With its FIFOs, but where a program is to have an interrupt for each byte, as boards without FIFOs have. */
#if defined(PROGRAM_BUTTON) && (defined(MODE_INTERRUPT) || defined(MODE_BARE))
#define FIFO 0u
#else
#define FIFO UART_LCR_H_FEN
#endif

static void channel_init(void) {
    unreset(RESET_IO_BANK0 | RESET_PADS_BANK0 | RESET_UART0);
    UART0_IBRD = DIVISOR / 64u;
    UART0_FBRD = DIVISOR % 64u;
    UART0_LCR_H = UART_LCR_H_8_BITS | FIFO; /* which takes the divisors over, too */
    UART0_CR = UART_CR_UARTEN | UART_CR_TXE;
    IO_BANK0_CTRL(TX_PIN) = FUNCTION_UART;
}

static void channel_drain(void) {
    while ((UART0_FR & UART_FR_BUSY) != 0) {
    }
}

void board_write(const char *text) {
    for (; *text != '\0'; text += 1) {
        while ((UART0_FR & UART_FR_TXFF) != 0) {
        }
        UART0_DR = (uint8_t)*text;
    }
}

#else

#include "rtt.h"

static void channel_init(void) { rtt_init(); }

void board_write(const char *text) { rtt_write(text); }

static void channel_drain(void) {} /* the report stands in RAM until a probe fetches it */

#endif

void board_init(void) {
    SCB_VTOR = (uint32_t)_sisr_vector;
    clock_init();
    channel_init();
}

_Noreturn void board_exit(void) {
    channel_drain();
    sleep_for_ever();
}
