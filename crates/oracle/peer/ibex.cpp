// Ibex under Verilator, in a process of its own, spoken to over pipes. The protocol is that of picorv32.cpp.
//
// Memory of 64 KiB from address 0 answers both ports in the next cycle. A cycle at which an instruction ends is counted
// from the first one's beginning.
#include <cstdint>
#include <cstdio>
#include <vector>
#include "Vibex.h"
#include "verilated.h"

static const uint32_t MAGIC = 0x58454249;
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
        Vibex core{&context};
        core.clk = 0;
        core.rst_n = 1;
        core.irq = 0;
        core.eval();
        core.rst_n = 0;
        core.eval();
        for (int i = 0; i < 4; i++) {
            core.clk = 1; core.eval();
            core.clk = 0; core.eval();
        }
        core.rst_n = 1;
        std::vector<uint32_t> retired;
        size_t next = 0;
        int64_t now = -int64_t(FIRST_LAUNCH);
        for (uint32_t cycle = 0; cycle < head[1] && retired.size() / 4 < head[0]; cycle++, now++) {
            while (next < head[2] && int64_t(changes[2 * next]) <= now) core.irq = changes[2 * next++ + 1];
            core.eval();
            // A retirement is told in the cycle after its last.
            if (core.retired && !core.trapped) {
                retired.insert(retired.end(), {core.retired_pc, uint32_t(now), core.retired_rd, core.retired_value});
            }
            bool instr = core.instr_req, data = core.data_req;
            uint32_t fetched = memory[core.instr_addr / 4 % (MEMORY_BYTES / 4)];
            uint32_t &word = memory[core.data_addr / 4 % (MEMORY_BYTES / 4)];
            uint32_t read = word;
            if (data && core.data_we) {
                uint32_t mask = 0;
                for (int i = 0; i < 4; i++) if (core.data_be >> i & 1) mask |= 0xFFu << 8 * i;
                word = (word & ~mask) | (core.data_wdata & mask);
            }
            core.clk = 1; core.eval();
            core.instr_rvalid = instr;
            core.instr_rdata = fetched;
            core.data_rvalid = data;
            core.data_rdata = read;
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
