/*
 * The peer of AVR's instruction oracle: runs batches of instructions on simavr's ATmega328P and answers with what came of
 * them. Built when the oracle runs and only ever a process of its own; nothing of cyclescope links it.
 *
 * All numbers are little-endian. The peer says hello once (MAGIC), then answers each request on stdin until it ends:
 *   request  trace, limit, end, pc (words of 32 bits; pc and end in bytes), SREG in the next word, the interrupts to ask
 *            for, then flash and data space (struct request)
 *   answer   status (0, or 1 where simavr says that the program crashed), executed, hash of all states, hash of the data
 *            space at the end, final state (struct answer), and when `trace` was set the state after each executed
 *            instruction with the hash of the data space at that time (struct step), executed of them.
 * I/O registers are plain memory but for SREG: simavr's devices are unhooked. Neither interrupts nor timers run: what is
 * compared is the core.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_core.h>
#include <simavr/sim_interrupts.h>

enum { MAGIC = 0x56415253, FLASH_BYTES = 32768, DATA_BYTES = 2304, MOST_RAISES = 64 };
enum { SREG_AT = 0x5F, SPL_AT = 0x5D, ENTRY_CYCLES = 4, VECTORS = 26, ENABLE_AT = 0xFF, SEI = 0x9478, RETI = 0x9518 };

struct request {
    uint32_t trace, limit, end, pc, sreg, raise_count;
    struct {
        uint32_t at, vector;
    } raises[MOST_RAISES];
    uint8_t flash[FLASH_BYTES];
    uint8_t data[DATA_BYTES];
};

/* r0 to r31, SREG, a zero, SP, pc in bytes, cycles since the batch began. */
struct state {
    uint8_t r[32], sreg, zero;
    uint16_t sp;
    uint32_t pc, cycles;
};

struct answer {
    uint32_t status, executed;
    uint64_t hash, data_hash;
    struct state state;
    uint32_t corrected;
};

struct step {
    struct state state;
    uint32_t unused;
    uint64_t data_hash;
};

static avr_t *avr;
/* Enabled by a bit of the last I/O register, where no stack is; it is set only while simavr looks at it. */
static avr_int_vector_t vectors[VECTORS];
static uint64_t began;
static struct request request;
static struct answer answer;
static struct step *steps;
static size_t step_room;

static void quiet(avr_t *of, const int level, const char *format, va_list arguments) {
    (void)of, (void)level, (void)format, (void)arguments;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_bytes(const void *bytes, size_t count) {
    uint64_t hash = 0;
    for (size_t at = 0; at < count; at += 8) {
        uint64_t word = 0;
        memcpy(&word, (const uint8_t *)bytes + at, count - at < 8 ? count - at : 8);
        hash = mix(hash, word);
    }
    return hash;
}

static uint8_t flags(void) {
    uint8_t sreg = 0;
    for (int bit = 0; bit < 8; bit++)
        sreg |= (avr->sreg[bit] != 0) << bit;
    return sreg;
}

/* What software would see in the data space. */
static uint64_t hash_data(void) {
    avr->data[SREG_AT] = flags();
    return hash_bytes(avr->data, DATA_BYTES);
}

static struct state take(void) {
    struct state state = {.sreg = flags(), .pc = avr->pc, .cycles = (uint32_t)(avr->cycle - began)};
    memcpy(state.r, avr->data, sizeof state.r);
    state.sp = (uint16_t)(avr->data[SPL_AT] | avr->data[SPL_AT + 1] << 8);
    return state;
}

/* What was put right in answer.corrected: an interrupt cost nothing; two instructions would have come after I was set; none
 * after SEI or RETI where it was set before. */
enum { FREE = 1, TWO_AFTER = 2, NONE_AFTER = 4 };

/* One more instruction is done, or an interrupt taken. */
static void record(void) {
    struct state state = take();
    answer.hash = mix(answer.hash, hash_bytes(&state, sizeof state));
    if (request.trace) {
        if (answer.executed == step_room) {
            step_room = step_room ? 2 * step_room : 4096;
            steps = realloc(steps, step_room * sizeof *steps);
            if (!steps)
                exit(3);
        }
        steps[answer.executed] = (struct step){.state = state, .data_hash = hash_data()};
    }
    answer.executed++;
}

/* Asks for the interrupts that are due, of which `raised` have been asked for before, and takes one if simavr would. */
static uint32_t interrupts(uint32_t raised) {
    uint8_t kept = avr->data[ENABLE_AT];
    avr->data[ENABLE_AT] |= 1;
    for (; raised < request.raise_count && request.raises[raised].at <= avr->cycle - began; raised++)
        avr_raise_interrupt(avr, &vectors[request.raises[raised].vector]);
    if (avr->interrupt_state < -1) {
        answer.corrected |= TWO_AFTER;
        avr->interrupt_state = -1;
    }
    uint64_t before = avr->cycle;
    int open = avr->sreg[S_I];
    avr_service_interrupts(avr);
    avr->data[ENABLE_AT] = kept;
    if (open && !avr->sreg[S_I]) {
        if (avr->cycle == before) {
            answer.corrected |= FREE;
            avr->cycle += ENTRY_CYCLES;
        }
        record();
    }
    return raised;
}

static void run(void) {
    memcpy(avr->flash, request.flash, FLASH_BYTES);
    memcpy(avr->data, request.data, DATA_BYTES);
    for (int bit = 0; bit < 8; bit++)
        avr->sreg[bit] = request.sreg >> bit & 1;
    avr->pc = request.pc;
    began = avr->cycle;
    for (int vector = 1; vector < VECTORS; vector++)
        vectors[vector].pending = 0;
    avr->interrupts.pending.read = avr->interrupts.pending.write = 0;
    avr->interrupts.running_ptr = 0;
    avr->interrupt_state = 0;
    memset(&answer, 0, sizeof answer);
    uint32_t raised = interrupts(0);
    while (avr->pc != request.end && answer.executed < request.limit) {
        avr->state = cpu_Running;
        avr->run_cycle_count = 0;
        uint16_t word = (uint16_t)(avr->flash[avr->pc] | avr->flash[avr->pc + 1] << 8);
        avr->pc = avr_run_one(avr);
        if ((word == RETI || word == SEI) && avr->interrupt_state >= 0) {
            answer.corrected |= NONE_AFTER;
            avr->interrupt_state = -1;
        }
        if (avr->state != cpu_Running && avr->state != cpu_Sleeping) {
            answer.status = 1;
            break;
        }
        record();
        if (avr->pc != request.end)
            raised = interrupts(raised);
    }
    answer.state = take();
    answer.data_hash = hash_data();
}

int main(void) {
    avr_global_logger_set(quiet);
    avr = avr_make_mcu_by_name("atmega328p");
    if (!avr || avr_init(avr) || avr->flashend + 1 != FLASH_BYTES || avr->ramend + 1 != DATA_BYTES)
        return 2;
    memset(avr->io, 0, sizeof avr->io);
    avr->interrupts.vector_count = 0;
    for (int vector = 1; vector < VECTORS; vector++) {
        vectors[vector] = (avr_int_vector_t){.vector = vector, .enable = AVR_IO_REGBIT(ENABLE_AT, 0)};
        avr_register_vector(avr, &vectors[vector]);
    }
    uint32_t hello = MAGIC;
    fwrite(&hello, sizeof hello, 1, stdout);
    fflush(stdout);
    while (fread(&request, sizeof request, 1, stdin) == 1) {
        run();
        fwrite(&answer, sizeof answer, 1, stdout);
        if (request.trace)
            fwrite(steps, sizeof *steps, answer.executed, stdout);
        fflush(stdout);
    }
    return 0;
}
