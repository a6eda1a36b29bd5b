/* This VexRiscv adds no registers that a task has of its own, and LiteX's timer is no mtime. */
#include "RISCV_no_extensions/freertos_risc_v_chip_specific_extensions.h"
