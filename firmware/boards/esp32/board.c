/* An ESP32 with a crystal of 40 MHz, as all modules have: 240 MHz from the PLL, the watchdogs off, UART0 out. The image lies in
 * internal RAM, where the boot ROM's loader puts it; the second core stays in reset. */
#include "board.h"

#include "esp32.h"

#if !defined(CHANNEL_UART)
#error "define CHANNEL_UART: there is no other channel"
#endif

#define UART_BAUD 115200u
/** The serial port's clock while the core is clocked by the PLL. */
#define APB_HZ 80000000u
/** Cycles at 40 MHz for 80 us, which the PLL is given to lock. */
#define PLL_LOCK_CYCLES (40u * 80u)

/* Both are on when the boot ROM loads an image, and bite after a second or so. */
static void watchdogs_off(void) {
    TIMG0_WDTWPROTECT_REG = WDT_KEY;
    TIMG0_WDTCONFIG0_REG = 0;
    TIMG0_WDTWPROTECT_REG = 0;
    RTC_CNTL_WDTWPROTECT_REG = WDT_KEY;
    RTC_CNTL_WDTCONFIG0_REG = 0;
    RTC_CNTL_WDTWPROTECT_REG = 0;
}

/* The PLL's registers and what the vendor's start-up code writes to them for 480 MHz from 40. */
static const uint8_t pll_settings[][2] = {
    {0, 0x18}, {1, 0x20}, {4, 0x9A}, {10, 0x00}, {12, 0x00}, {11, 0xC3}, {9, 0x74}, {2, 0x00}, {3, 28}, {5, 0xC6},
};

/* The core's voltage first, then the PLL, then half of it for the core; the APB is 80 MHz from there on. */
static void clock_init(void) {
    RTC_CNTL_REG = (RTC_CNTL_REG & ~RTC_CNTL_DIG_DBIAS_WAK_MASK) | RTC_CNTL_DIG_DBIAS_WAK_1V25;
    RTC_CNTL_OPTIONS0_REG &= ~(RTC_CNTL_BB_I2C_FORCE_PD | RTC_CNTL_BBPLL_I2C_FORCE_PD | RTC_CNTL_BBPLL_FORCE_PD);
    for (unsigned k = 0; k < sizeof pll_settings / sizeof pll_settings[0]; k += 1) {
        BBPLL_BUS = BBPLL_WRITE((uint32_t)pll_settings[k][0], (uint32_t)pll_settings[k][1]);
        while ((BBPLL_BUS & BBPLL_BUSY) != 0) {
        }
    }
    for (uint32_t from = xtensa_ccount(); xtensa_ccount() - from < PLL_LOCK_CYCLES;) {
    }
    DPORT_CPU_PER_CONF_REG = DPORT_CPU_CPUPERIOD_SEL_240;
    RTC_CNTL_CLK_CONF_REG = (RTC_CNTL_CLK_CONF_REG & ~RTC_CNTL_SOC_CLK_SEL_MASK) | RTC_CNTL_SOC_CLK_SEL_PLL;
}

/* Its pins are U0TXD and U0RXD after reset. 694 7/16, 115,203 baud. */
static void channel_init(void) {
    UART_CLKDIV_REG = UART_CLKDIV((APB_HZ * 16u + UART_BAUD / 2u) / UART_BAUD);
    UART_CONF0_REG = UART_CONF0_8_BITS | UART_CONF0_1_STOP | UART_CONF0_TICK_REF_ALWAYS_ON;
}

void board_write(const char *text) {
    for (; *text != '\0'; text += 1) {
        while (UART_STATUS_TXFIFO_CNT(UART_STATUS_REG) >= UART_FIFO_BYTES - 1) {
        }
        UART_FIFO_REG = (uint8_t)*text;
    }
}

void board_init(void) {
    watchdogs_off();
    clock_init();
    channel_init();
}

_Noreturn void board_exit(void) {
    while (UART_STATUS_TXFIFO_CNT(UART_STATUS_REG) != 0 || UART_STATUS_ST_UTX_OUT(UART_STATUS_REG) != 0) {
    }
    xtensa_sleep_for_ever();
}
