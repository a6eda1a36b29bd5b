/*
 * What the kit's program asks of its board: one implementation a board, in boards/. The sequences themselves are generated
 * assembly (see experiments/kit in the repository's root).
 */
#ifndef CYCLESCOPE_KIT_H
#define CYCLESCOPE_KIT_H

#include <stdint.h>

/* How the flash is to be set up for a sequence: the lower bits of its flags, as the generated table has them. */
#define KIT_WAIT(flags) ((flags) & 15u)
#define KIT_PREFETCH (1u << 4)
#define KIT_CACHE (1u << 5)
#define KIT_DATA_CACHE (1u << 6)
#define KIT_IN_RAM (1u << 7)
#define KIT_PASSES(flags) ((flags) >> 8)

/** What the first line says of the board: its chip, its core's clock in Hz, where it speaks; on AVR in flash. */
extern const char kit_board[];

/** The serial port and the counter; the clock stays the internal oscillator that reset leaves, where there is one. */
void kit_start(void);

/** Sends a byte; returns when the port has taken it. */
void kit_put(char byte);

/** Sets the flash up and empties its caches. */
void kit_memory(uint32_t flags);

/** Waits until all is sent, then stands still. */
_Noreturn void kit_end(void);

#endif
