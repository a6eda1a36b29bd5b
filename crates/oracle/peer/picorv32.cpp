// PicoRV32 under Verilator; see bench.h for the protocol. Memory answers every access in the cycle in which it is asked for.
// An instruction ends where the next one is launched.
#include "Vpicorv32.h"
#include "bench.h"
#include "verilated.h"

int main() {
    Bench::hello(0x32334350);
    Bench bench;
    while (bench.request()) {
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
        int64_t now = -int64_t(FIRST_LAUNCH);
        for (uint32_t cycle = 0; bench.goes_on(cycle); cycle++, now++) {
            bench.inputs(now, core.irq);
            core.eval();
            // Registers drive the request; the answer comes in the same cycle. It cannot be an error.
            core.mem_ready = core.mem_valid;
            if (core.mem_valid) {
                bool error;
                core.mem_rdata = core.mem_instr
                    ? bench.fetch(core.mem_addr)
                    : bench.access(core.mem_addr, core.mem_wstrb, core.mem_wdata, now, error);
            }
            core.eval();
            // What retired is told a cycle after the next instruction's launch.
            if (core.rvfi_valid) {
                bench.retired.insert(bench.retired.end(),
                                     {core.rvfi_pc_rdata, uint32_t(now - 1), core.rvfi_rd_addr, core.rvfi_rd_wdata});
            }
            core.clk = 1; core.eval();
            core.clk = 0; core.eval();
        }
        core.final();
        bench.answer();
    }
    return 0;
}
