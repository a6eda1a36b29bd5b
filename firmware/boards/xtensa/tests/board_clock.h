/* QEMU's `sim` runs CCOUNT at a rate of its own. This one makes ticks come often. */
#ifndef CYCLESCOPE_BOARD_CLOCK_H
#define CYCLESCOPE_BOARD_CLOCK_H

#define BOARD_CORE_HZ 16000000u
#include "ccount_micros.h"

#endif
