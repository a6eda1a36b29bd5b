/* Ibex's vector table, always vectored and here at the start of RAM, where mtvec points after a reset: exceptions and the
 * machine timer go to the kernel's own handlers for such cores, all else to the one that asks the application. The tick is
 * the port's own, by mtime and mtimecmp. */
#include "traps.h"

__asm(".pushsection .vectors, \"ax\"\n"
      ".option push\n"
      ".option norvc\n"
      ".global trap_vectors\n"
      ".type trap_vectors, @function\n"
      "trap_vectors:\n"
      "j freertos_risc_v_exception_handler\n"
      ".rept 6\n"
      "j freertos_risc_v_interrupt_handler\n"
      ".endr\n"
      "j freertos_risc_v_mtimer_interrupt_handler\n"
      ".rept 24\n"
      "j freertos_risc_v_interrupt_handler\n"
      ".endr\n"
      ".size trap_vectors, . - trap_vectors\n"
      ".option pop\n"
      ".popsection\n");

void traps_init(void) {}
