/* SysTick in microseconds: the switch program is the only one on this board. */
#ifndef CYCLESCOPE_BOARD_CLOCK_H
#define CYCLESCOPE_BOARD_CLOCK_H

/** What feeds SysTick, Hz. */
#define BOARD_CORE_HZ 96000000u
#include "systick_micros.h"

#endif
