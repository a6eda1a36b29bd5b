/*
 * The peer of the instruction oracle: runs batches of instructions on libunicorn's Cortex-M0, M3 or M4 and answers with
 * what came of them. Built when the oracle runs and only ever a process of its own; nothing of cyclescope links it.
 * Its first argument is the model: m0, m3, m4, or m4f to hash floating-point state after each instruction too.
 *
 * All numbers are little-endian words of 32 bits. The peer says hello once (MAGIC, libunicorn's version), then answers
 * each request on stdin until it ends:
 *   request  (struct request): what to run, the initial state, the image, the data RAM
 *   answer   status (0, or 1 + uc_err), executed, hash of all states, hash of data RAM, final state, how often the run
 *            was taken up again after a YIELD (struct answer), and when `trace` was set the state before each executed
 *            instruction with the hash of data RAM at that time (struct step), executed of them.
 * Instructions that their condition skips do not count as executed. What a state leaves out: the IT bits of xPSR, which
 * libunicorn brings up to date only where its own blocks end, and bit 3 of CONTROL, which Armv7-M does not have.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unicorn/unicorn.h>

enum { MAGIC = 0x32564355, IMAGE_BYTES = 4096, DATA_BYTES = 4096, RAM_BASE = 0x20000000 };

/* r0 to r12, sp, lr, pc, xPSR; what is compared less often; floating-point state. */
enum { SP = 13, PC = 15, XPSR = 16, HASHED = 17, MSP = 17, PSP, CONTROL, PRIMASK, BASEPRI, FAULTMASK, FPSCR, SINGLES,
       STATE = SINGLES + 32, DOUBLES = 16 };
static const uint32_t IT_BITS = 0x0600FC00;

struct request {
    uint32_t trace, flash_base, end, limit;
    uint32_t state[STATE];
    uint8_t image[IMAGE_BYTES];
    uint8_t data[DATA_BYTES];
};

struct answer {
    uint32_t status, executed;
    uint64_t hash, data_hash;
    uint32_t state[STATE], resumed, unused;
};

struct step {
    uint32_t state[STATE];
    uint64_t data_hash;
};

/* In the order of a state; doubles last. */
static const int ids[SINGLES + DOUBLES] = {
    UC_ARM_REG_R0,  UC_ARM_REG_R1,  UC_ARM_REG_R2,  UC_ARM_REG_R3,   UC_ARM_REG_R4,  UC_ARM_REG_R5,      UC_ARM_REG_R6,
    UC_ARM_REG_R7,  UC_ARM_REG_R8,  UC_ARM_REG_R9,  UC_ARM_REG_R10,  UC_ARM_REG_R11, UC_ARM_REG_R12,     UC_ARM_REG_SP,
    UC_ARM_REG_LR,  UC_ARM_REG_PC,  UC_ARM_REG_XPSR, UC_ARM_REG_MSP, UC_ARM_REG_PSP, UC_ARM_REG_CONTROL, UC_ARM_REG_PRIMASK,
    UC_ARM_REG_BASEPRI, UC_ARM_REG_FAULTMASK, UC_ARM_REG_FPSCR,
    UC_ARM_REG_D0,  UC_ARM_REG_D1,  UC_ARM_REG_D2,  UC_ARM_REG_D3,  UC_ARM_REG_D4,  UC_ARM_REG_D5,  UC_ARM_REG_D6,
    UC_ARM_REG_D7,  UC_ARM_REG_D8,  UC_ARM_REG_D9,  UC_ARM_REG_D10, UC_ARM_REG_D11, UC_ARM_REG_D12, UC_ARM_REG_D13,
    UC_ARM_REG_D14, UC_ARM_REG_D15,
};

static bool floating_point;
static uc_engine *uc;
static uc_context *after_reset;
static struct request request;
static struct answer answer;
static struct step *steps;
static size_t step_room;

static void check(uc_err err, const char *what) {
    if (err != UC_ERR_OK) {
        fprintf(stderr, "libunicorn: %s: %s\n", what, uc_strerror(err));
        exit(2);
    }
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_data(void) {
    static uint64_t words[DATA_BYTES / 8];
    uint64_t hash = 0;
    check(uc_mem_read(uc, RAM_BASE, words, sizeof words), "reading data RAM");
    for (size_t i = 0; i < DATA_BYTES / 8; i++) hash = mix(hash, words[i]);
    return hash;
}

static void read_registers(uint32_t *state, int from, int count) {
    void *places[SINGLES + DOUBLES];
    int used[SINGLES + DOUBLES];
    for (int i = 0; i < count; i++) {
        int id = from + i;
        used[i] = ids[id];
        places[i] = &state[id < SINGLES ? id : SINGLES + 2 * (id - SINGLES)];
    }
    check(uc_reg_read_batch(uc, used, places, count), "reading registers");
}

static void read_hashed(uint32_t *state) {
    read_registers(state, 0, HASHED);
    state[XPSR] &= ~IT_BITS;
    if (floating_point) read_registers(state, FPSCR, 1 + DOUBLES);
}

static void read_state(uint32_t *state) {
    memset(state, 0, STATE * sizeof *state);
    read_hashed(state);
    read_registers(state, HASHED, FPSCR - HASHED);
    state[CONTROL] &= 7;
}

static void add_hash(const uint32_t *state) {
    uint64_t hash = answer.hash;
    for (int i = 0; i + 1 < HASHED; i += 2) hash = mix(hash, state[i] | (uint64_t)state[i + 1] << 32);
    hash = mix(hash, state[XPSR]);
    if (floating_point)
        for (int i = FPSCR + 1; i < STATE; i += 2) hash = mix(hash, state[i] | (uint64_t)state[i + 1] << 32);
    if (floating_point) hash = mix(hash, state[FPSCR]);
    answer.hash = hash;
}

static void on_instruction(uc_engine *engine, uint64_t address, uint32_t size, void *user) {
    uint32_t state[STATE];
    (void)size, (void)user;
    if (answer.executed == request.limit) {
        uc_emu_stop(engine);
        return;
    }
    if (request.trace) read_state(state);
    else read_hashed(state);
    state[PC] = (uint32_t)address;
    add_hash(state);
    if (request.trace) {
        if (answer.executed == step_room) {
            step_room = step_room ? 2 * step_room : 1024;
            steps = realloc(steps, step_room * sizeof *steps);
            if (!steps) exit(2);
        }
        memcpy(steps[answer.executed].state, state, sizeof state);
        steps[answer.executed].data_hash = hash_data();
    }
    answer.executed++;
}

static void map(uint32_t base, uint32_t bytes) {
    check(uc_mem_map(uc, base, bytes, UC_PROT_ALL), "mapping memory");
}

/* A store by a host does not make libunicorn forget code that it has translated. */
static void load(uint32_t base, const void *bytes, uint32_t size) {
    check(uc_mem_write(uc, base, bytes, size), "writing memory");
    check(uc_ctl_remove_cache(uc, base, base + size), "forgetting code");
}

static void write_register(int index) {
    check(uc_reg_write(uc, ids[index], &request.state[index]), "writing a register");
}

/* libunicorn knows YIELD as an exit from its loop that it then takes for an invalid instruction. */
static bool after_yield(uint32_t *pc) {
    static const uint8_t narrow[2] = {0x10, 0xBF}, wide[4] = {0xAF, 0xF3, 0x01, 0x80};
    uint8_t before[4];
    check(uc_reg_read(uc, UC_ARM_REG_PC, pc), "reading pc");
    if (uc_mem_read(uc, *pc - 4, before, sizeof before) != UC_ERR_OK) return false;
    return !memcmp(before + 2, narrow, sizeof narrow) || !memcmp(before, wide, sizeof wide);
}

static void run(void) {
    static uint32_t mapped_at;
    if (mapped_at != request.flash_base) {
        if (mapped_at) check(uc_mem_unmap(uc, mapped_at, IMAGE_BYTES), "unmapping flash");
        map(request.flash_base, IMAGE_BYTES);
        mapped_at = request.flash_base;
    }
    load(0, request.image, IMAGE_BYTES);
    load(request.flash_base, request.image, IMAGE_BYTES);
    load(RAM_BASE, request.data, DATA_BYTES);
    load(RAM_BASE + DATA_BYTES, request.image, IMAGE_BYTES);

    memset(&answer, 0, sizeof answer);
    /* A batch may have left the core unprivileged, and then it ignores what follows. */
    check(uc_context_restore(uc, after_reset), "going back to reset");
    for (int i = 0; i < (floating_point ? SINGLES : FPSCR); i++)
        if (i != SP && i != PC && i != CONTROL) write_register(i);
    for (int i = 0; floating_point && i < DOUBLES; i++)
        check(uc_reg_write(uc, ids[SINGLES + i], &request.state[SINGLES + 2 * i]), "writing a register");
    /* libunicorn does not take GE from xPSR, and a context of its own is a secure one of Armv8-M, which has SFPA too. */
    request.state[CONTROL] |= (request.state[CONTROL] & 4) << 1;
    check(uc_reg_write(uc, UC_ARM_REG_APSR_NZCVQG, &request.state[XPSR]), "writing flags");
    write_register(CONTROL);
    uint32_t pc = request.state[PC];
    uc_err err = uc_emu_start(uc, pc | 1, request.end, 0, 0);
    while (err != UC_ERR_OK && after_yield(&pc)) {
        answer.resumed++;
        err = uc_emu_start(uc, pc | 1, request.end, 0, 0);
    }
    answer.status = err == UC_ERR_OK ? 0 : 1 + err;
    read_state(answer.state);
    add_hash(answer.state);
    answer.data_hash = hash_data();
}

static int model(const char *name) {
    static const struct { const char *name; int model; } models[] = {
        {"m0", UC_CPU_ARM_CORTEX_M0}, {"m3", UC_CPU_ARM_CORTEX_M3},
        {"m4", UC_CPU_ARM_CORTEX_M4}, {"m4f", UC_CPU_ARM_CORTEX_M4},
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (!strcmp(name, models[i].name)) return models[i].model;
    fprintf(stderr, "no model %s\n", name);
    exit(2);
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "m0";
    floating_point = !strcmp(name, "m4f");
    uint32_t hello[2] = {MAGIC, uc_version(NULL, NULL)};
    uc_hook hook;
    check(uc_open(UC_ARCH_ARM, UC_MODE_THUMB | UC_MODE_MCLASS, &uc), "opening");
    check(uc_ctl_set_cpu_model(uc, model(name)), "choosing the model");
    check(uc_hook_add(uc, &hook, UC_HOOK_CODE, on_instruction, NULL, (uint64_t)1, (uint64_t)0), "hooking");
    check(uc_context_alloc(uc, &after_reset), "making room for a context");
    check(uc_context_save(uc, after_reset), "saving the context");
    map(0, IMAGE_BYTES);
    map(RAM_BASE, DATA_BYTES + IMAGE_BYTES);
    fwrite(hello, sizeof hello, 1, stdout);
    fflush(stdout);
    while (fread(&request, sizeof request, 1, stdin) == 1) {
        run();
        fwrite(&answer, sizeof answer, 1, stdout);
        if (request.trace) fwrite(steps, sizeof *steps, answer.executed, stdout);
        fflush(stdout);
    }
    return 0;
}
