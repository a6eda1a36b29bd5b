/*
 * The peer of the oracle over whole AVR parts: follows a program on simavr's part with its devices, instruction by
 * instruction, along the steps that cyclescope took, and says where it goes another way. Built when the oracle runs and only
 * ever a process of its own; nothing of cyclescope links it.
 *
 * All numbers are little-endian. The peer says hello once (MAGIC), then begins with struct start and flash, and answers
 * batches: a word with their count, and as many of struct step. The answer is struct answer, then the bytes that the program
 * sent since the last one. A count of 0 asks for the tallies of the vectors (VECTORS of struct tally) instead, after which the
 * next struct start is read.
 *
 * When an interrupt is taken is cyclescope's to say: a step says so, and simavr's device must have asked for it by then, and
 * not have had to wait for it. What it may be apart stands in `allow`, by vector; what a register may read differently in
 * `reads`, by data address. Both come from the exceptions that cyclescope lists; everything else must be the same.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_core.h>
#include <simavr/sim_cycle_timers.h>
#include <simavr/sim_interrupts.h>

enum { MAGIC = 0x50565253, VECTORS = 64, IO_BYTES = 256, SREG_AT = 0x5F, SPL_AT = 0x5D };

/* What an interrupt's time may be apart. */
enum { ALLOW_NOTHING, ALLOW_CYCLES, ALLOW_TICK, ALLOW_TICK_2, ALLOW_ANY };
/* What a register may read differently. */
enum { READ_SAME, READ_BITS, READ_COUNT, READ_COUNT_2 };
/* Where what was read went, other than to a register: it decided a skip, or was no read but a write. */
enum { SKIPPED = 32, STORED };
/* What a step is. */
enum { INSTRUCTION, INTERRUPT, IDLE, RECEIVE, PIN };
/* What came of a batch. */
enum { SAME, DIFFERENT, CRASHED, NOT_DUE, OVERDUE };

struct allow {
    uint8_t kind, divider_at;
    uint16_t cycles;
};

struct reads {
    uint8_t kind, bits, divider_at, cycles;
};

struct start {
    char part[16];
    uint32_t flash_bytes, entry_cycles;
    uint8_t uart, clear, halts, unused;
    struct allow allow[VECTORS];
    struct reads reads[IO_BYTES];
};

/* r0 to r31, SREG, what it is, SP, pc in bytes, cycles since reset; the data address below 256 that the instruction read and
 * the register it went to, or SKIPPED or STORED; an argument. */
struct step {
    uint8_t r[32], sreg, kind;
    uint16_t sp;
    uint32_t pc, cycles;
    uint8_t read, to, argument, unused;
};

struct answer {
    uint32_t status, index, vector, forced, sent;
    int32_t apart;
    uint64_t ram;
    struct step state;
};

struct tally {
    uint32_t taken, apart;
    int32_t early, late;
};

static avr_t *avr;
static struct start start;
static struct answer answer;
static struct tally tallies[VECTORS];
/* By vector: since when simavr would have taken it, and since when it owes it; 0 is never. */
static uint64_t since[VECTORS], owed[VECTORS];
static avr_int_vector_t *vectors[VECTORS];
static uint8_t *sent;
static size_t sent_room;

static void quiet(avr_t *of, const int level, const char *format, va_list arguments) {
    (void)of, (void)level, (void)format, (void)arguments;
}

static void take_byte(struct avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)param;
    if (answer.sent == sent_room) {
        sent_room = sent_room ? 2 * sent_room : 4096;
        sent = realloc(sent, sent_room);
        if (!sent)
            exit(3);
    }
    sent[answer.sent++] = (uint8_t)value;
}

static uint64_t hash_bytes(const uint8_t *bytes, size_t count) {
    uint64_t hash = 0;
    for (size_t at = 0; at < count; at += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, count - at < 8 ? count - at : 8);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static uint8_t flags(void) {
    uint8_t sreg = 0;
    for (int bit = 0; bit < 8; bit++)
        sreg |= (avr->sreg[bit] != 0) << bit;
    return sreg;
}

static struct step state(void) {
    struct step step = {.sreg = flags(), .pc = avr->pc, .cycles = (uint32_t)avr->cycle};
    memcpy(step.r, avr->data, sizeof step.r);
    step.sp = (uint16_t)(avr->data[SPL_AT] | avr->data[SPL_AT + 1] << 8);
    return step;
}

/* Cycles between two counts of the timer whose clock is chosen at `at`. */
static uint32_t tick(uint8_t at, int second) {
    static const uint16_t first_kind[8] = {1, 1, 8, 64, 256, 1024, 1, 1}, second_kind[8] = {1, 1, 8, 32, 64, 128, 256, 1024};
    return (second ? second_kind : first_kind)[avr->data[at] & 7];
}

static int64_t allowed(uint8_t vector) {
    const struct allow *allow = &start.allow[vector];
    switch (allow->kind) {
    case ALLOW_CYCLES:
        return allow->cycles;
    case ALLOW_TICK:
    case ALLOW_TICK_2:
        return allow->cycles + tick(allow->divider_at, allow->kind == ALLOW_TICK_2);
    case ALLOW_ANY:
        return INT64_MAX;
    default:
        return 0;
    }
}

/* Notes that simavr would have taken `vector` so many cycles after cyclescope did; whether that may be. */
static int note(uint8_t vector, int64_t apart) {
    struct tally *tally = &tallies[vector];
    if (start.allow[vector].kind == ALLOW_ANY)
        return 1;
    tally->apart += apart != 0;
    if (apart > tally->late)
        tally->late = (int32_t)apart;
    if (apart < tally->early)
        tally->early = (int32_t)apart;
    answer.vector = vector;
    answer.apart = (int32_t)apart;
    return llabs(apart) <= allowed(vector);
}

/* Between two instructions: what simavr would do now. */
static int boundary(void) {
    /* One instruction executes after one that sets I; simavr's two are an exception that the core's oracle lists. */
    int ready = avr->sreg[S_I] && avr->interrupt_state >= 0;
    if (avr->interrupt_state < 0)
        avr->interrupt_state = 0;
    for (int vector = 1; vector < VECTORS; vector++) {
        avr_int_vector_t *source = vectors[vector];
        if (!source)
            continue;
        int asks = source->pending && avr_regbit_get(avr, source->enable);
        if (owed[vector]) {
            int64_t apart = (int64_t)(avr->cycle - owed[vector]);
            if (asks) {
                owed[vector] = 0;
                avr_clear_interrupt(avr, source);
                if (!note(vector, apart))
                    return 0;
            } else if (apart > allowed(vector)) {
                /* One that is not enabled any more need not come. */
                if (avr_regbit_get(avr, source->enable))
                    return note(vector, apart);
                owed[vector] = 0;
            }
            continue;
        }
        if (!asks)
            since[vector] = 0;
        else if (ready) {
            if (!since[vector])
                since[vector] = avr->cycle;
            else if ((int64_t)(avr->cycle - since[vector]) > allowed(vector))
                return note(vector, (int64_t)(since[vector] - avr->cycle));
            /* It would be this one and no other. */
            ready = 0;
        }
    }
    avr->interrupts.pending.read = avr->interrupts.pending.write = 0;
    return 1;
}

/* Takes the interrupt `vector` as simavr does, and adds what that costs. */
static int interrupt(uint8_t vector) {
    avr_int_vector_t *source = vectors[vector];
    if (!source)
        return 0;
    tallies[vector].taken++;
    if (source->pending && avr_regbit_get(avr, source->enable)) {
        if (since[vector] && !note(vector, (int64_t)(since[vector] - avr->cycle)))
            return 0;
        avr_clear_interrupt(avr, source);
    } else if (start.allow[vector].kind == ALLOW_NOTHING)
        return 0;
    else if (start.allow[vector].kind != ALLOW_ANY)
        owed[vector] = avr->cycle;
    since[vector] = 0;
    uint16_t sp = (uint16_t)(avr->data[SPL_AT] | avr->data[SPL_AT + 1] << 8);
    avr->data[sp] = (uint8_t)(avr->pc >> 1);
    avr->data[sp - 1] = (uint8_t)(avr->pc >> 9);
    sp -= 2;
    avr->data[SPL_AT] = (uint8_t)sp;
    avr->data[SPL_AT + 1] = sp >> 8;
    avr->sreg[S_I] = 0;
    avr->pc = vector * avr->vector_size;
    avr->cycle += start.entry_cycles;
    avr_cycle_timer_process(avr);
    return 1;
}

static int agree(const struct step *expected) {
    struct step own = state();
    return !memcmp(own.r, expected->r, sizeof own.r) && own.sreg == expected->sreg && own.sp == expected->sp &&
           own.pc == expected->pc && own.cycles == expected->cycles;
}

/* A flag that cyclescope saw set and simavr will set: where simavr then asks for an interrupt, it has had its answer. */
static void foresee(uint8_t at, uint8_t bits) {
    for (int vector = 1; vector < VECTORS; vector++) {
        avr_int_vector_t *source = vectors[vector];
        if (source && source->raised.reg == at && bits >> source->raised.bit & 1 && !source->pending &&
            start.allow[vector].kind != ALLOW_ANY)
            owed[vector] = avr->cycle;
    }
}

/* Whether what differs is what the register that was read may read differently; then simavr gets cyclescope's. */
static int excused(const struct step *expected) {
    const struct reads *reads = &start.reads[expected->read];
    struct step own = state();
    if (expected->to == STORED) {
        uint32_t more = expected->cycles - own.cycles;
        if (!start.halts || expected->read != start.halts || (more != 2 && more != 4))
            return 0;
        avr->cycle += more;
        avr_cycle_timer_process(avr);
        return agree(expected);
    }
    if (reads->kind == READ_SAME)
        return 0;
    if (own.pc != expected->pc) {
        /* A skip went by its bit. */
        if (expected->to != SKIPPED || !(reads->bits >> expected->argument & 1))
            return 0;
        avr->pc = expected->pc;
        avr->cycle += (int32_t)(expected->cycles - own.cycles);
        foresee(expected->read, ~avr->data[expected->read] & 1 << expected->argument);
    } else {
        if (expected->to >= SKIPPED)
            return 0;
        uint8_t ours = expected->r[expected->to], theirs = own.r[expected->to];
        if (reads->kind == READ_BITS) {
            if ((ours ^ theirs) & ~reads->bits)
                return 0;
            foresee(expected->read, ours & ~theirs);
        } else {
            uint32_t most = 1 + reads->cycles / tick(reads->divider_at, reads->kind == READ_COUNT_2);
            if ((uint8_t)(ours - theirs) > most && (uint8_t)(theirs - ours) > most)
                return 0;
        }
        avr->data[expected->to] = ours;
    }
    answer.forced++;
    return agree(expected);
}

static int stimulate(const struct step *step) {
    avr_irq_t *irq = step->kind == RECEIVE
                         ? avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ(start.uart), UART_IRQ_INPUT)
                         : avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ(step->to), IOPORT_IRQ_PIN0 + (step->argument & 7));
    if (!irq)
        return 0;
    avr_raise_irq(irq, step->kind == RECEIVE ? step->argument : step->argument >> 7);
    return 1;
}

static uint32_t follow(const struct step *step) {
    switch (step->kind) {
    case RECEIVE:
    case PIN:
        return stimulate(step) ? SAME : CRASHED;
    case IDLE:
        while ((uint32_t)avr->cycle != step->cycles) {
            avr->cycle++;
            avr_cycle_timer_process(avr);
            if (avr->state != cpu_Sleeping)
                boundary();
        }
        return agree(step) ? SAME : DIFFERENT;
    case INTERRUPT:
        /* What asks by now has asked; whether it had to wait is found here. */
        boundary();
        if (!interrupt(step->argument)) {
            answer.vector = step->argument;
            return NOT_DUE;
        }
        return agree(step) ? SAME : DIFFERENT;
    default:
        if (!boundary())
            return OVERDUE;
        avr->state = cpu_Running;
        avr->run_cycle_count = 0;
        avr->pc = avr_run_one(avr);
        if (avr->state != cpu_Running && avr->state != cpu_Sleeping)
            return CRASHED;
        avr_cycle_timer_process(avr);
        return agree(step) || excused(step) ? SAME : DIFFERENT;
    }
}

static int begin(void) {
    if (fread(&start, sizeof start, 1, stdin) != 1)
        return 0;
    avr = avr_make_mcu_by_name(start.part);
    if (!avr || avr_init(avr) || avr->flashend + 1 != start.flash_bytes)
        exit(2);
    avr->frequency = 16000000;
    if (fread(avr->flash, start.flash_bytes, 1, stdin) != 1)
        return 0;
    avr->codeend = avr->flashend;
    if (start.clear)
        avr->data[start.clear] = 0;
    uint32_t no_flags = 0;
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS(start.uart), &no_flags);
    avr_irq_t *out = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ(start.uart), UART_IRQ_OUTPUT);
    if (out)
        avr_irq_register_notify(out, take_byte, NULL);
    memset(vectors, 0, sizeof vectors);
    for (int index = 0; index < avr->interrupts.vector_count; index++)
        if (avr->interrupts.vector[index]->vector < VECTORS)
            vectors[avr->interrupts.vector[index]->vector] = avr->interrupts.vector[index];
    memset(tallies, 0, sizeof tallies);
    memset(since, 0, sizeof since);
    memset(owed, 0, sizeof owed);
    return 1;
}

int main(void) {
    static struct step *steps;
    static uint32_t room;
    uint32_t count = MAGIC;
    avr_global_logger_set(quiet);
    fwrite(&count, sizeof count, 1, stdout);
    fflush(stdout);
    while (begin()) {
        memset(&answer, 0, sizeof answer);
        while (fread(&count, sizeof count, 1, stdin) == 1 && count) {
            if (count > room) {
                room = count;
                steps = realloc(steps, room * sizeof *steps);
                if (!steps)
                    return 3;
            }
            if (fread(steps, sizeof *steps, count, stdin) != count)
                return 0;
            memset(&answer, 0, sizeof answer);
            while (answer.index < count && (answer.status = follow(&steps[answer.index])) == SAME)
                answer.index++;
            answer.state = state();
            answer.ram = hash_bytes(avr->data + avr->ioend + 1, avr->ramend - avr->ioend);
            fwrite(&answer, sizeof answer, 1, stdout);
            fwrite(sent, 1, answer.sent, stdout);
            fflush(stdout);
        }
        fwrite(tallies, sizeof tallies, 1, stdout);
        fflush(stdout);
        avr_terminate(avr);
    }
    return 0;
}
