/* LiteX's simulated SoC with a VexRiscv (docs/riscv.md has the map). Its own cores have nothing that ends a run, so that
 * goes by semihosting (the RISC-V semihosting specification, calls as of Arm's). */
#include "board.h"

#include "riscv_semihosting.h"

#define REG32(address) (*(volatile uint32_t *)(address))

#define UART_RXTX REG32(0xF0003000u)
#define UART_TXFULL REG32(0xF0003004u)
#define UART_TXEMPTY REG32(0xF0003018u)

void board_init(void) {}

void board_write(const char *text) {
    for (; *text != '\0'; text += 1) {
        while (UART_TXFULL != 0) {
        }
        UART_RXTX = (uint8_t)*text;
    }
}

_Noreturn void board_exit(void) {
    __asm volatile("csrci mstatus, 8" ::: "memory");
    while (UART_TXEMPTY == 0) {
    }
    semihosting_exit();
    for (;;) {
        __asm volatile("wfi");
    }
}
