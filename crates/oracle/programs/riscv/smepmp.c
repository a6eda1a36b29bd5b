// Smepmp: what each kind of entry allows M mode and U mode, and the sticky bits of mseccfg.
#include "common.h"

#define MSECCFG_READ() CSR_READ(0x747)
#define MSECCFG_WRITE(value) CSR_WRITE(0x747, value)

static volatile uint32_t failed;

// Notes the cause and goes on behind the instruction, or behind the call of a place that may not be executed. An environment
// call goes back to M mode.
__attribute__((interrupt("machine"), aligned(4))) static void handler(void)
{
  uint32_t behind_call;
  __asm__ volatile("mv %0, s11" : "=r"(behind_call));
  uint32_t cause = CSR_READ(mcause), at = CSR_READ(mepc);
  failed = cause;
  if (cause == 1)
    at = behind_call;
  else
    at += (*(uint16_t *)at & 3) == 3 ? 4 : 2;
  CSR_WRITE(mepc, at);
  if (cause == 8)
    CSR_SET(mstatus, 0x1800);
}

// A page of data, and one with a function that returns at once.
static uint32_t place[2048] __attribute__((aligned(8192)));

// Tries to read, to write and to execute the place: one digit each, the cause of the exception.
__attribute__((noinline)) static uint32_t probe(void)
{
  uint32_t found;
  failed = 0;
  __asm__ volatile("lw a0, 0(%0)" ::"r"(place) : "a0", "memory");
  found = failed;
  failed = 0;
  __asm__ volatile("sw zero, 0(%0)" ::"r"(place) : "memory");
  found = found << 4 | failed;
  failed = 0;
  __asm__ volatile("la s11, 1f\n jalr ra, 0(%0)\n 1:" ::"r"(place + 1024) : "ra", "s11", "memory");
  return found << 4 | failed;
}

static volatile uint32_t in_user_mode;

static void user(void)
{
  in_user_mode = probe();
  __asm__ volatile("ecall" ::: "memory");
}

static void probe_in_user_mode(void)
{
  CSR_WRITE(mepc, (uint32_t)user);
  __asm__ volatile("csrc mstatus, %0" ::"r"(0x1800));
  __asm__ volatile("la ra, 1f\n mret\n 1:" ::
                       : "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7",
                         "memory");
}

extern char data_start[];

int main(void)
{
  CSR_WRITE(mtvec, (uint32_t)handler);
  place[1024] = 0x00008067;
  __asm__ volatile("fence.i");
  line("mseccfg", MSECCFG_READ());
  // The bypass lets a locked entry be opened again.
  MSECCFG_WRITE(4);
  CSR_WRITE(pmpcfg1, 0x80000000);
  line("locked", CSR_READ(pmpcfg1));
  CSR_WRITE(pmpcfg1, 0);
  line("opened", CSR_READ(pmpcfg1));
  // 0: the place. 2: the code, which both modes execute and M mode reads. 3: the data of both. 4, 5: M mode's devices.
  CSR_WRITE(pmpaddr0, ((uint32_t)place >> 2) | 0x3FF);
  CSR_WRITE(pmpaddr1, 0x80000000u >> 2);
  CSR_WRITE(pmpaddr2, (uint32_t)data_start >> 2);
  CSR_WRITE(pmpaddr3, 0x88000000u >> 2);
  CSR_WRITE(pmpaddr4, (UART >> 2) | 0x1FF);
  CSR_WRITE(pmpaddr5, (TEST >> 2) | 0x1FF);
  // M mode executes only what an entry lets it: its own code and data first.
  CSR_WRITE(pmpcfg0, 0x8B8D0000);
  CSR_WRITE(pmpcfg1, 0x9B9B);
  MSECCFG_WRITE(5);
  line("lockdown", MSECCFG_READ());
  for (uint32_t kind = 0; kind < 16; kind++) {
    uint32_t entry = 0x18 | (kind & 7) | (kind & 8) << 4;
    CSR_WRITE(pmpcfg0, 0x0E8E0000 | entry);
    line("entry", CSR_READ(pmpcfg0));
    line("  machine", probe());
    probe_in_user_mode();
    line("  user", in_user_mode);
  }
  // What no entry matches: M mode may read it until it may not.
  failed = 0;
  (void)R32(CLINT);
  line("unmatched", failed);
  MSECCFG_WRITE(7);
  // Another page: QEMU 7 still allows what it has looked up.
  (void)R32(PLIC);
  line("whitelist", failed);
  MSECCFG_WRITE(0);
  line("sticky", MSECCFG_READ());
  MSECCFG_WRITE(4);
  line("bypass", MSECCFG_READ());
  return 0;
}
