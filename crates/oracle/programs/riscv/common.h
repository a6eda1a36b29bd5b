// What the programs share: start-up, the UART, the test finisher.
#include <stdint.h>

#define R8(address) (*(volatile uint8_t *)(address))
#define R32(address) (*(volatile uint32_t *)(address))
#define CSR_READ(name) ({ uint32_t value_; __asm__ volatile("csrr %0, " #name : "=r"(value_)); value_; })
#define CSR_WRITE(name, value) __asm__ volatile("csrw " #name ", %0" ::"r"(value))
#define CSR_SET(name, value) __asm__ volatile("csrs " #name ", %0" ::"r"(value))

enum { UART = 0x10000000, TEST = 0x100000, CLINT = 0x2000000, PLIC = 0xC000000 };

__asm__(".section .init\n"
        ".globl _start\n"
        "_start: la sp, _stack_top\n"
        "la t0, _bss_start\n"
        "la t1, _bss_end\n"
        "1: bgeu t0, t1, 2f\n"
        "sw zero, 0(t0)\n"
        "addi t0, t0, 4\n"
        "j 1b\n"
        "2: call main\n"
        "slli a0, a0, 16\n"
        "li t0, 0x3333\n"
        "or a0, a0, t0\n"
        "li t0, 0x100000\n"
        "sw a0, 0(t0)\n"
        "3: j 3b\n"
        ".text\n");

static void put(char character)
{
  while (!(R8(UART + 5) & 0x20)) {
  }
  R8(UART) = character;
}

static void print(const char *text)
{
  while (*text)
    put(*text++);
}

static void hex(uint32_t value)
{
  for (int shift = 28; shift >= 0; shift -= 4)
    put("0123456789abcdef"[value >> shift & 15]);
}

static void line(const char *name, uint32_t value)
{
  print(name);
  put(' ');
  hex(value);
  put('\n');
}

int main(void);
