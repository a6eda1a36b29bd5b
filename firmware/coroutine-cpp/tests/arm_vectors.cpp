// What the tests need to start on a Cortex-M that QEMU plays: a stack, and where the C library begins. The library's
// semihosting does the rest.
extern "C" void _start();

namespace {

struct vectors {
    unsigned stack;
    void (*reset)();
};
__attribute__((section(".vectors"), used)) const vectors at_zero = {0x20010000, _start};

} // namespace
