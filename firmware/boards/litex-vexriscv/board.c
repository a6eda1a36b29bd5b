/* LiteX's simulated SoC with a VexRiscv (docs/riscv.md has the map). Its own cores have nothing that ends a run, so that
 * goes by semihosting (the RISC-V semihosting specification, calls as of Arm's). */
#include "board.h"

#define REG32(address) (*(volatile uint32_t *)(address))

#define UART_RXTX REG32(0xF0003000u)
#define UART_TXFULL REG32(0xF0003004u)
#define UART_TXEMPTY REG32(0xF0003018u)

#define SYS_EXIT 0x18u
#define ADP_STOPPED_APPLICATION_EXIT 0x20026u

void board_init(void) {}

void board_write(const char *text) {
    for (; *text != '\0'; text += 1) {
        while (UART_TXFULL != 0) {
        }
        UART_RXTX = (uint8_t)*text;
    }
}

/* The three instructions are the mark of a call, and none of them may be a short one. */
static void semihosting(uint32_t operation, uint32_t argument) {
    register uint32_t a0 __asm("a0") = operation;
    register uint32_t a1 __asm("a1") = argument;

    __asm volatile(".option push\n"
                   ".option norvc\n"
                   ".balign 16\n"
                   "slli zero, zero, 0x1f\n"
                   "ebreak\n"
                   "srai zero, zero, 7\n"
                   ".option pop\n"
                   : "+r"(a0)
                   : "r"(a1)
                   : "memory");
}

_Noreturn void board_exit(void) {
    __asm volatile("csrci mstatus, 8" ::: "memory");
    while (UART_TXEMPTY == 0) {
    }
    semihosting(SYS_EXIT, ADP_STOPPED_APPLICATION_EXIT);
    for (;;) {
        __asm volatile("wfi");
    }
}
