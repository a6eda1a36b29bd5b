/* The reset handler: initialised data from flash, zeroes, then the program. The symbols come from the board's
 * linker script; all are word-aligned there. */
#include <stdint.h>

#include "cortex_m.h"

extern uint32_t _sidata[], _sdata[], _edata[], _sbss[], _ebss[];
int main(void);

/* The loops must not become calls of memcpy and memset by the compiler's own idea: nothing is initialised yet. */
__attribute__((noreturn, optimize("no-tree-loop-distribute-patterns"))) void Reset_Handler(void) {
    const uint32_t *from = _sidata;

    for (uint32_t *to = _sdata; to < _edata;) {
        *to++ = *from++;
    }
    for (uint32_t *to = _sbss; to < _ebss;) {
        *to++ = 0;
    }
    (void)main();
    sleep_for_ever();
}

/** What every vector without a handler of its own runs: it stays, so that a debugger finds the place. */
void Default_Handler(void) {
    for (;;) {
    }
}
