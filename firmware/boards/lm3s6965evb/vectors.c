/* The vector table of the generic Armv7-M board: the system exceptions only, since no interrupt is ever enabled. */
#include "armv7m_vectors.h"

__attribute__((section(".isr_vector"), used)) static const vector vectors[16] = {
    SYSTEM_VECTORS(Reset_Handler),
};
