/* Ibex adds no registers, and its timer is mtime with mtimecmp. */
#include "RISCV_MTIME_CLINT_no_extensions/freertos_risc_v_chip_specific_extensions.h"
