// PicoRV32 under Verilator, in a process of its own, spoken to over pipes.
//
// Memory of 64 KiB from address 0 answers every access in the cycle in which it is asked for. All numbers are words of
// 32 bits, little-endian.
//
// At the start: MAGIC.
// A request: how many retirements and how many cycles to run at most; the number of changes of the interrupt inputs, and
// for each the cycle (counted from the first launch of an instruction) and the inputs' levels from then on; then memory.
// The answer: the number of retirements, and for each pc, the cycle at which the next instruction was launched, the
// register written and its value; then memory.
#include <cstdint>
#include <cstdio>
#include <vector>
#include "Vpicorv32.h"
#include "verilated.h"

static const uint32_t MAGIC = 0x32334350;
static const size_t MEMORY_BYTES = 0x10000;

static bool take(void *to, size_t bytes) { return fread(to, 1, bytes, stdin) == bytes; }
static void give(const void *from, size_t bytes) { fwrite(from, 1, bytes, stdout); }

static uint32_t memory[MEMORY_BYTES / 4];

int main() {
    give(&MAGIC, 4);
    fflush(stdout);
    uint32_t head[3];
    while (take(head, sizeof head)) {
        std::vector<uint32_t> changes(2 * head[2]);
        if (!take(changes.data(), 4 * changes.size()) || !take(memory, MEMORY_BYTES)) return 1;
        VerilatedContext context;
        Vpicorv32 core{&context};
        core.clk = 0;
        core.resetn = 0;
        core.irq = 0;
        core.eval();
        for (int i = 0; i < 4; i++) {
            core.clk = 1; core.eval();
            core.clk = 0; core.eval();
        }
        core.resetn = 1;
        std::vector<uint32_t> retired;
        size_t next = 0;
        // The first fetch: 3 cycles from reset to the first launch.
        int64_t now = -int64_t(FIRST_LAUNCH);
        for (uint32_t cycle = 0; cycle < head[1] && retired.size() / 4 < head[0]; cycle++, now++) {
            while (next < head[2] && int64_t(changes[2 * next]) <= now) core.irq = changes[2 * next++ + 1];
            core.eval();
            // Registers drive the request; the answer comes in the same cycle.
            core.mem_ready = core.mem_valid;
            if (core.mem_valid) core.mem_rdata = memory[core.mem_addr / 4 % (MEMORY_BYTES / 4)];
            core.eval();
            if (core.mem_valid && core.mem_wstrb) {
                uint32_t mask = 0;
                for (int i = 0; i < 4; i++) if (core.mem_wstrb >> i & 1) mask |= 0xFFu << 8 * i;
                uint32_t &word = memory[core.mem_addr / 4 % (MEMORY_BYTES / 4)];
                word = (word & ~mask) | (core.mem_wdata & mask);
            }
            // What retired is told a cycle after the next instruction's launch.
            if (core.rvfi_valid) {
                retired.insert(retired.end(), {core.rvfi_pc_rdata, uint32_t(now - 1), core.rvfi_rd_addr, core.rvfi_rd_wdata});
            }
            core.clk = 1; core.eval();
            core.clk = 0; core.eval();
        }
        core.final();
        uint32_t count = retired.size() / 4;
        give(&count, 4);
        give(retired.data(), 4 * retired.size());
        give(memory, MEMORY_BYTES);
        fflush(stdout);
    }
    return 0;
}
