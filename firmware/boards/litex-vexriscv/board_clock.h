/* No clock of its own: what needs one takes the machine timer. */
#ifndef CYCLESCOPE_BOARD_CLOCK_H
#define CYCLESCOPE_BOARD_CLOCK_H

#endif
