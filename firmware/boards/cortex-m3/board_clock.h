/* The clock of the board that this one is. */
#include "../lm3s6965evb/board_clock.h"
