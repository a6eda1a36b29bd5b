// refused: ticks are unsigned
#include "../../ply/ply.hpp"

struct a_clock {
#if defined(WITHOUT_THE_FAULT)
    using ticks = uint16_t;
#else
    using ticks = int16_t;
#endif
    static ticks now() { return 0; }
};

int main() {
    ply::deadline<a_clock> moment;
    return moment.reached() ? 0 : 1;
}
