/* Ibex as in its Simple System, with the 16550 UART that cyclescope's chip adds to it (docs/riscv.md). */
#include "board.h"

#include "riscv_semihosting.h"

#define REG8(address) (*(volatile uint8_t *)(address))

#define UART 0x10000000u
#define UART_THR REG8(UART + 0)
#define UART_DLL REG8(UART + 0)
#define UART_DLM REG8(UART + 1)
#define UART_FCR REG8(UART + 2)
#define UART_FCR_ENABLE (1u << 0)
#define UART_LCR REG8(UART + 3)
#define UART_LCR_8N1 3u
#define UART_LCR_DLAB (1u << 7)
#define UART_LSR REG8(UART + 5)
#define UART_LSR_THRE (1u << 5)
#define UART_LSR_TEMT (1u << 6)

/* 50 MHz / (16 * 27) = 115,741 baud, 0.47 % high. */
#define UART_DIVISOR 27u

void board_init(void) {
    UART_LCR = UART_LCR_DLAB;
    UART_DLL = UART_DIVISOR;
    UART_DLM = 0;
    UART_LCR = UART_LCR_8N1;
    UART_FCR = UART_FCR_ENABLE;
}

void board_write(const char *text) {
    for (; *text != '\0'; text += 1) {
        while ((UART_LSR & UART_LSR_THRE) == 0) {
        }
        UART_THR = (uint8_t)*text;
    }
}

_Noreturn void board_exit(void) {
    __asm volatile("csrci mstatus, 8" ::: "memory");
    while ((UART_LSR & UART_LSR_TEMT) == 0) {
    }
    semihosting_exit();
    for (;;) {
        __asm volatile("wfi");
    }
}
