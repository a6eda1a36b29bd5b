/* The functions of memory that GCC calls by itself: there is no C library for the windowed ABI. Plain loops, of words where both
 * ends lie on words. */
#include <stddef.h>
#include <stdint.h>

/* The loops must not become calls of the functions that they are. */
#pragma GCC optimize("no-tree-loop-distribute-patterns")

void *memset(void *to, int value, size_t bytes);
void *memcpy(void *restrict to, const void *restrict from, size_t bytes);

void *memset(void *to, int value, size_t bytes) {
    uint8_t *at = to;

    if ((uintptr_t)at % 4 == 0) {
        for (uint32_t word = 0x01010101u * (uint8_t)value; bytes >= 4; bytes -= 4, at += 4) {
            *(uint32_t __attribute__((may_alias)) *)at = word;
        }
    }
    for (; bytes != 0; bytes -= 1) {
        *at++ = (uint8_t)value;
    }
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
    uint8_t *at = to;
    const uint8_t *source = from;

    if (((uintptr_t)at | (uintptr_t)source) % 4 == 0) {
        for (; bytes >= 4; bytes -= 4, at += 4, source += 4) {
            *(uint32_t __attribute__((may_alias)) *)at = *(const uint32_t __attribute__((may_alias)) *)source;
        }
    }
    for (; bytes != 0; bytes -= 1) {
        *at++ = *source++;
    }
    return to;
}
