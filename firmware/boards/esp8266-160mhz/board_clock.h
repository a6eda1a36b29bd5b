/* CCOUNT in microseconds: the switch program is the only one on this board. */
#ifndef CYCLESCOPE_BOARD_CLOCK_H
#define CYCLESCOPE_BOARD_CLOCK_H

/** What feeds CCOUNT, Hz. */
#define BOARD_CORE_HZ 160000000u
#include "ccount_micros.h"

#endif
