/* The start of a Cortex-M without a C library. */
#include <stdint.h>

extern uint32_t _data[], _data_end[], _data_load[], _bss[], _bss_end[], _stack[];
int main(void);

static void start(void) {
    for (uint32_t *to = _data, *from = _data_load; to < _data_end;) {
        *to++ = *from++;
    }
    for (uint32_t *to = _bss; to < _bss_end;) {
        *to++ = 0;
    }
    main();
    for (;;) {}
}

__attribute__((section(".vectors"), used)) static const void *const vectors[] = {_stack, (void *)start};
