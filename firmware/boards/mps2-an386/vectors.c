/* The vector table of the generic Armv7E-M board with FPU: the system exceptions only, since no interrupt is ever enabled. */
#include "armv7m_vectors.h"
#include "fpu.h"

__attribute__((section(".isr_vector"), used)) static const vector vectors[16] = {
    SYSTEM_VECTORS(Fpu_Reset_Handler),
};
