/* The ESP8266 at twice its usual clock: the same board, whose core then runs at 160 MHz. The APB stays at 80. */
#define board_init board_init_80mhz
#include "../esp8266/board.c"
#undef board_init

void board_init(void) {
    board_init_80mhz();
    DPORT_CTL |= DPORT_CTL_DOUBLE_CLK;
}
