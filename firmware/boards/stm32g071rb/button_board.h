/* The button program's hardware on the Nucleo-G071RB. `board_init` has set clocks, PA2 and USART2 up before. */
#ifndef CYCLESCOPE_BUTTON_BOARD_H
#define CYCLESCOPE_BUTTON_BOARD_H

/** SysTick's clock, Hz. */
#define BUTTON_CORE_HZ 64000000u

#include "button_c0_g0.h"

#endif
