// The example on the host, with a clock that goes on by one each time it is read, and across its wrap.
#include "../example/pulse.hpp"

#include "check.hpp"

namespace {

struct reads {
    using ticks = uint16_t;
    static ticks time;
    static ticks now() { return time++; }
};
reads::ticks reads::time = 65500;

page out;

PLY_COROUTINE(blinker, reads) {
    PLY_LOOP() {
        PLY_DELAY(450);
        out.print("blink\n");
    }
    PLY_END();
}

} // namespace

int main() {
    run_example<reads>(out, blinker);
    char expected[256] = {};
    FILE *file = fopen("example/expected.txt", "r");
    CHECK(file != nullptr);
    CHECK(fread(expected, 1, sizeof expected - 1, file) > 0);
    fclose(file);
    CHECK_TEXT(out.text, expected);
    puts("example: all passed");
}
