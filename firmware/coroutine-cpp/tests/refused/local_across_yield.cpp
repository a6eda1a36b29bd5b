// refused: crosses initialization of
#include "../../ply/ply.hpp"

class careless : public ply::coroutine<careless> {
public:
    int total = 0;
    PLY_BODY() {
        PLY_BEGIN();
#if defined(WITHOUT_THE_FAULT)
        total = 3;
        PLY_YIELD();
        total += 1;
#else
        int local = 3;
        PLY_YIELD();
        total = local + 1;
#endif
        PLY_END();
    }
};

int main() { careless{}.resume(); }
