/* The port's own tick, by mtime and mtimecmp, and the vector table of vectors.S: nothing is left to do. */
#include "tick.h"

void tick_init(void) {}
