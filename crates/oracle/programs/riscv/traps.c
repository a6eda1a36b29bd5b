// Exceptions of every cause, user mode and the PMP, as the trap handler sees them.
#include "common.h"

static volatile uint32_t causes, calls;

// Prints the trap and goes on behind the instruction; in M mode behind the second call from U mode.
__attribute__((interrupt("machine"), aligned(4))) static void handler(void)
{
  uint32_t cause = CSR_READ(mcause), at = CSR_READ(mepc), value = CSR_READ(mtval);
  causes = causes * 31 + cause;
  hex(cause);
  put(' ');
  hex(at);
  put(' ');
  // A breakpoint's value is left open.
  hex(cause == 3 ? 0 : value);
  put(' ');
  hex(CSR_READ(mstatus) & 0x1888);
  put('\n');
  CSR_WRITE(mepc, at + ((*(uint16_t *)at & 3) == 3 ? 4 : 2));
  if (cause == 8 && ++calls == 2)
    CSR_SET(mstatus, 0x1800);
}

static uint32_t guarded[1024] __attribute__((aligned(4096)));

static void user(void)
{
  __asm__ volatile("ecall");
  __asm__ volatile("csrr a0, mstatus" ::: "a0");
  __asm__ volatile("lw a0, 0(%0)" ::"r"(guarded) : "a0");
  __asm__ volatile("sw a0, 0(%0)" ::"r"(guarded + 4));
  __asm__ volatile("ecall");
}

int main(void)
{
  CSR_WRITE(mtvec, (uint32_t)handler);
  __asm__ volatile(".word 0xFFFFFFFF");
  __asm__ volatile(".half 0");
  __asm__ volatile("ecall");
  __asm__ volatile(".option push\n.option norvc\nebreak\n.option pop");
  __asm__ volatile("lw a0, 0(%0)" ::"r"(0x05000000) : "a0");
  __asm__ volatile("sw a0, 0(%0)" ::"r"(0x05000000));
  __asm__ volatile("lr.w a0, (%0)" ::"r"((uint32_t)guarded + 2) : "a0");
  __asm__ volatile("csrw cycle, zero");
  // All of memory may be used from U mode, but for four kilobytes that may only be read.
  CSR_WRITE(pmpaddr0, ((uint32_t)guarded >> 2) | 0x1FF);
  CSR_WRITE(pmpaddr1, -1);
  CSR_WRITE(pmpcfg0, 0x1F19);
  CSR_WRITE(mepc, (uint32_t)user);
  __asm__ volatile("csrc mstatus, %0" ::"r"(0x1800));
  __asm__ volatile("la ra, 1f\n mret\n 1:" ::: "ra", "a0", "memory");
  line("causes", causes);
  CSR_WRITE(mscratch, 77);
  line("privileged", CSR_READ(mscratch));
  return 0;
}
