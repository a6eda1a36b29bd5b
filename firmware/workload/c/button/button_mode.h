/* Turns the build's choice of mode (one of -DMODE_INTERRUPT, -DMODE_DMA, -DMODE_BLOCKING, -DMODE_BARE) into constants. */
#ifndef CYCLESCOPE_BUTTON_MODE_H
#define CYCLESCOPE_BUTTON_MODE_H

#if defined(MODE_INTERRUPT) + defined(MODE_DMA) + defined(MODE_BLOCKING) + defined(MODE_BARE) != 1
#error "define exactly one of MODE_INTERRUPT, MODE_DMA, MODE_BLOCKING, MODE_BARE"
#endif

/** Who hands the bytes to the UART: its interrupt's handler, the DMA, or the task itself. */
#define SERIAL_BY_INTERRUPT 1
#define SERIAL_BY_DMA 2
#define SERIAL_BY_WAITING 3
#if defined(MODE_DMA)
#define SERIAL SERIAL_BY_DMA
#elif defined(MODE_BLOCKING)
#define SERIAL SERIAL_BY_WAITING
#else
#define SERIAL SERIAL_BY_INTERRUPT
#endif

/** Whether pins A and B are set. */
#if defined(MODE_BARE)
#define PROBES 0
#else
#define PROBES 1
#endif

#endif
