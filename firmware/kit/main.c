/* The kit: runs each sequence, takes off what timing nothing takes, and prints what is left.
 *
 *   kit begin chip=… clock=… serial=… version=…
 *   kit NAME CYCLES
 *   kit end COUNT
 */
#include "kit.h"

#if defined(__AVR__)
#include <avr/pgmspace.h>
/* Constants stay in flash, which has instructions of its own. */
#define CHARACTER(at) ((char)pgm_read_byte(at))
#define NAME(sequence) ((const char *)pgm_read_word(&(sequence)->name))
#define RUN(sequence) ((counter *)pgm_read_word(&(sequence)->run))
#define FLAGS(sequence) (1u << 8)
#define TEXT(literal) text(PSTR(literal))
typedef uint16_t cycles_of;
#else
#include "cortex_m.h"
#define PROGMEM
#define CHARACTER(at) (*(at))
#define NAME(sequence) ((sequence)->name)
#define RUN(sequence) ((sequence)->run)
#define FLAGS(sequence) ((sequence)->flags)
#define TEXT(literal) text(literal)
typedef uint32_t cycles_of;
#endif

/** Runs a sequence once; the cycles between its readings of the counter. */
typedef cycles_of counter(void);

/** A sequence. */
struct sequence {
    const char *name;
    counter *run;
#if !defined(__AVR__)
    uint32_t flags;
#endif
};

/* Generated: the last one has no name. */
extern const struct sequence kit_sequences[] PROGMEM;
extern const char kit_version[] PROGMEM;
extern counter kit_empty;
#if !defined(__AVR__)
extern counter kit_empty_in_ram;
#endif

/** RAM that sequences load from and store to. */
#define WORDS 32
#if defined(__AVR__)
uintptr_t kit_data[WORDS];
#else
uintptr_t kit_data[WORDS] __attribute__((aligned(128)));
#endif

static void text(const char *text) {
    for (; CHARACTER(text) != '\0'; text += 1) {
        kit_put(CHARACTER(text));
    }
}

static void number(uint32_t value) {
    char digits[10];
    uint8_t count = 0;
    do {
        digits[count] = (char)('0' + value % 10);
        count += 1;
        value /= 10;
    } while (value != 0);
    while (count != 0) {
        count -= 1;
        kit_put(digits[count]);
    }
}

/** Takes back what sequences change of the core: handlers must not run outside them, whose registers they take. */
static void settle(void) {
#if defined(__ARM_FP)
    REG32(0xE000EF34u) = 0xC0000000u; /* FPCCR: ASPEN, LSPEN, as after reset (DDI 0403, B3.2.21) */
    __asm volatile("msr control, %0\n\tisb" ::"r"(0) : "memory"); /* no floating-point context */
#endif
#if !defined(__AVR__)
#if __ARM_ARCH >= 7
    SYST_CSR = 0;
#endif
    SCB_ICSR = SCB_ICSR_PENDSTCLR | SCB_ICSR_PENDSVCLR;
    __asm volatile("cpsie i" ::: "memory");
#endif
}

/** What the counter says of `run`, which finds its data as the first time. */
static uint32_t counted(counter *run, uint32_t flags) {
    uint32_t cycles = 0;
    kit_memory(flags);
    for (uint32_t pass = KIT_PASSES(flags); pass != 0; pass -= 1) {
        for (uint8_t word = 0; word < WORDS; word += 1) {
            kit_data[word] = (uintptr_t)kit_data;
        }
        cycles = run();
        settle();
    }
    kit_memory(0);
    return cycles;
}

#if !defined(__AVR__)
extern uint32_t _sisr_vector[];
#endif

int main(void) {
#if !defined(__AVR__)
    SCB_VTOR = (uint32_t)_sisr_vector; /* a bootloader may have had its own */
#endif
    kit_start();
    TEXT("kit begin ");
    text(kit_board);
    TEXT(" version=");
    text(kit_version);
    TEXT("\n");
    uint32_t empty = counted(kit_empty, 1u << 8);
#if !defined(__AVR__)
    uint32_t empty_in_ram = counted(kit_empty_in_ram, 1u << 8);
#endif
    uint32_t count = 0;
    for (const struct sequence *sequence = kit_sequences; NAME(sequence) != 0; sequence += 1) {
        uint32_t cycles = counted(RUN(sequence), FLAGS(sequence)) - empty;
#if !defined(__AVR__)
        cycles += (sequence->flags & KIT_IN_RAM) != 0 ? empty - empty_in_ram : 0;
#endif
        TEXT("kit ");
        text(NAME(sequence));
        TEXT(" ");
        number(cycles);
        TEXT("\n");
        count += 1;
    }
    TEXT("kit end ");
    number(count);
    TEXT("\n");
    kit_end();
}
