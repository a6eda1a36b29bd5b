// refused: this_coroutine_has_no_clock
#include "../../ply/ply.hpp"

#if defined(WITHOUT_THE_FAULT)
struct a_clock {
    using ticks = uint16_t;
    static ticks now() { return 0; }
};
#else
using a_clock = ply::no_clock;
#endif

class sleeper : public ply::coroutine<sleeper, a_clock> {
public:
    PLY_BODY() {
        PLY_BEGIN();
        PLY_DELAY(10);
        PLY_END();
    }
};

int main() { sleeper{}.resume(); }
