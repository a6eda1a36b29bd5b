/* A stream of DMA1 for the UART's transmitter: STM32F4 (RM0390 and RM0383, "DMA registers"). A board's header defines
 * DMA_STREAM and DMA_REQUEST, the channel that the stream serves. */
#ifndef CYCLESCOPE_BUTTON_DMA_STREAM_H
#define CYCLESCOPE_BUTTON_DMA_STREAM_H

#include "cortex_m.h"

#define RCC_AHB1ENR REG32(0x40023830u)
#define RCC_AHB1ENR_DMA1EN (1u << 21)
/* LIFCR and HIFCR, each with the flags of four streams. */
#define DMA1_IFCR REG32(0x40026008u + 4u * (DMA_STREAM / 4u))
#define DMA_IFCR_STREAM (0x3Du << (DMA_STREAM % 4u / 2u * 16u + DMA_STREAM % 2u * 6u))
#define DMA1_STREAM_REG(offset) REG32(0x40026010u + (offset) + 24u * DMA_STREAM)
#define DMA1_SCR DMA1_STREAM_REG(0x00u)
#define DMA_SCR_EN (1u << 0)
#define DMA_SCR_TCIE (1u << 4)
#define DMA_SCR_DIR_TO_PERIPHERAL (1u << 6)
#define DMA_SCR_MINC (1u << 10)
#define DMA_SCR_CHSEL(channel) ((channel) << 25)
#define DMA1_SNDTR DMA1_STREAM_REG(0x04u)
#define DMA1_SPAR DMA1_STREAM_REG(0x08u)
#define DMA1_SM0AR DMA1_STREAM_REG(0x0Cu)

static inline void serial_dma_clock_on(void) {
    RCC_AHB1ENR |= RCC_AHB1ENR_DMA1EN;
    (void)RCC_AHB1ENR;
}

/** Sets the register that the stream writes to. */
static inline void serial_dma_to(uint32_t address) { DMA1_SPAR = address; }

/** Has the DMA hand `length` bytes over and interrupt after the last; they stay where they are until then. */
static inline void serial_dma_send(const char *bytes, uint32_t length) {
    DMA1_SM0AR = (uint32_t)bytes;
    DMA1_SNDTR = length;
    DMA1_SCR = DMA_SCR_CHSEL(DMA_REQUEST) | DMA_SCR_MINC | DMA_SCR_DIR_TO_PERIPHERAL | DMA_SCR_TCIE | DMA_SCR_EN;
}
static inline void serial_dma_acknowledge(void) { DMA1_IFCR = DMA_IFCR_STREAM; }

#endif
