// What the tests share: a check that names its place, a clock to be set by hand, a trace, and a sink that keeps text.
#ifndef CHECK_HPP
#define CHECK_HPP

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(...)                                                             \
    do {                                                                       \
        if (!(__VA_ARGS__)) {                                                  \
            printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #__VA_ARGS__); \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

#define CHECK_TEXT(actual, expected)                                                              \
    do {                                                                                          \
        if (strcmp(actual, expected) != 0) {                                                      \
            printf("%s:%d: expected\n%s\nbut found\n%s\n", __FILE__, __LINE__, expected, actual); \
            exit(1);                                                                              \
        }                                                                                         \
    } while (0)

/// A clock that stands still until a test moves it.
template <class Ticks>
struct hand_clock {
    using ticks = Ticks;
    static ticks time;
    static ticks now() { return time; }
};
template <class Ticks>
Ticks hand_clock<Ticks>::time = 0;

/// The order in which coroutines ran, a letter each time.
struct trace {
    char text[128] = {};
    size_t length = 0;

    void note(char what) {
        CHECK(length + 1 < sizeof text);
        text[length] = what;
        length += 1;
    }
};

/// What was printed.
struct page {
    char text[4096] = {};
    size_t length = 0;

    void print(char character) {
        CHECK(length + 1 < sizeof text);
        text[length] = character;
        length += 1;
    }
    void print(const char *string) {
        for (; *string != '\0'; string += 1) {
            print(*string);
        }
    }
    void print(unsigned long number) {
        char digits[24];
        snprintf(digits, sizeof digits, "%lu", number);
        print(digits);
    }
};

#endif
