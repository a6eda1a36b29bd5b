/* The display program on registers; ../README.md says what it draws. */
#include "board.h"
#include "display.h"
#include "draw.h"
#include "primes.h"
#include "wire.h"

#define FRAMES 8u

static void draw_frame(uint8_t frame) {
    static const char *const titles[FRAMES] = {
        "frame 0", "frame 1", "frame 2", "frame 3", "frame 4", "frame 5", "frame 6", "frame 7",
    };

    draw_nothing();
    draw_text(2, 1, "cyclescope");
    draw_text(84, 1, titles[frame]);
    draw_text(2, 12, "the quick brown fox");
    draw_row(0, 127, 23);
    draw_line(0, 24, 127, 63);
    draw_line(0, 63, 127, 24);
    draw_box(4 + 13 * frame, 35, 16, 16);
}

int main(void) {
    board_init();
    wire_init();
    display_init();
    for (uint8_t frame = 0; frame < FRAMES; frame += 1) {
        cyclescope_start();
        draw_frame(frame);
        display_flush();
        cyclescope_stop();
    }
    board_exit();
}
