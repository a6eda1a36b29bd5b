/* A channel of DMA1 for the UART's transmitter: STM32C0, G0 and L4 (RM0490, RM0444 and RM0351, "DMA registers"). A
 * board's header defines DMA_CHANNEL, from 1. */
#ifndef CYCLESCOPE_BUTTON_DMA_CHANNEL_H
#define CYCLESCOPE_BUTTON_DMA_CHANNEL_H

#include "cortex_m.h"

#define DMA1_IFCR REG32(0x40020004u)
#define DMA_IFCR_CGIF (1u << 4u * (DMA_CHANNEL - 1u))
#define DMA1_CHANNEL_REG(offset) REG32(0x40020000u + (offset) + 20u * (DMA_CHANNEL - 1u))
#define DMA1_CCR DMA1_CHANNEL_REG(0x08u)
#define DMA_CCR_EN (1u << 0)
#define DMA_CCR_TCIE (1u << 1)
#define DMA_CCR_DIR_TO_PERIPHERAL (1u << 4)
#define DMA_CCR_MINC (1u << 7)
#define DMA1_CNDTR DMA1_CHANNEL_REG(0x0Cu)
#define DMA1_CPAR DMA1_CHANNEL_REG(0x10u)
#define DMA1_CMAR DMA1_CHANNEL_REG(0x14u)

/** Sets the register that the channel writes to. */
static inline void serial_dma_to(uint32_t address) { DMA1_CPAR = address; }

/** Has the DMA hand `length` bytes over and interrupt after the last; they stay where they are until then. A channel's
 *  count is written while it is off. */
static inline void serial_dma_send(const char *bytes, uint32_t length) {
    DMA1_CCR = 0;
    DMA1_CMAR = (uint32_t)bytes;
    DMA1_CNDTR = length;
    DMA1_CCR = DMA_CCR_MINC | DMA_CCR_DIR_TO_PERIPHERAL | DMA_CCR_TCIE | DMA_CCR_EN;
}
static inline void serial_dma_acknowledge(void) { DMA1_IFCR = DMA_IFCR_CGIF; }

#endif
