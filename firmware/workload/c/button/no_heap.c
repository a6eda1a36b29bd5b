/* newlib's snprintf names the heap, for streams that grow; what writes into a buffer never asks for any. */
#include <stddef.h>

void *_sbrk(ptrdiff_t increment);
void *_sbrk(ptrdiff_t increment) {
    (void)increment;
    return (void *)-1;
}
