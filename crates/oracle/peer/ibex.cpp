// Ibex under Verilator; see bench.h for the protocol. Memory answers both ports in the next cycle. The clock runs on while
// the core sleeps.
#include "Vibex.h"
#include "bench.h"
#include "verilated.h"

int main() {
    Bench::hello(0x58454249);
    Bench bench;
    while (bench.request()) {
        VerilatedContext context;
        Vibex core{&context};
        core.clk = 0;
        core.rst_n = 1;
        core.irq = 0;
        core.boot_addr = bench.boot;
        core.eval();
        core.rst_n = 0;
        core.eval();
        for (int i = 0; i < 4; i++) {
            core.clk = 1; core.eval();
            core.clk = 0; core.eval();
        }
        core.rst_n = 1;
        int64_t now = -int64_t(FIRST_LAUNCH);
        for (uint32_t cycle = 0; bench.goes_on(cycle); cycle++, now++) {
            bench.inputs(now, core.irq);
            core.eval();
            // A retirement is told in the cycle after its last.
            if (core.retired && !core.trapped) {
                bench.retired.insert(bench.retired.end(),
                                     {core.retired_pc, uint32_t(now), core.retired_rd, core.retired_value});
            }
            bool instr = core.instr_req, data = core.data_req, error = false;
            bool instr_error = instr && !bench.has(core.instr_addr);
            uint32_t fetched = bench.fetch(core.instr_addr), read = 0;
            if (data) {
                read = bench.access(core.data_addr, core.data_we ? core.data_be : 0, core.data_wdata, now, error);
            }
            core.clk = 1; core.eval();
            core.instr_rvalid = instr;
            core.instr_rdata = fetched;
            core.instr_err = instr_error;
            core.data_rvalid = data;
            core.data_rdata = read;
            core.data_err = error;
            core.clk = 0; core.eval();
        }
        core.final();
        bench.answer();
    }
    return 0;
}
