// VexRiscv under Verilator; see bench.h for the protocol. Two Wishbone buses, each with a port of the memory that acknowledges in
// the cycle after the one that asks, as LiteX's memories do. Bits 3 and 7 of the interrupt inputs are the software and the timer
// interrupt, those from 16 on the external interrupt array. The cycle of a retirement is the one in which the last stage fires,
// counted from the end of the reset.
#include "VVexRiscv.h"
#include "VVexRiscv_VexRiscv.h"
#include "bench.h"
#include "verilated.h"

int main() {
    Bench::hello(0x52584556);
    Bench bench;
    while (bench.request()) {
        VerilatedContext context;
        VVexRiscv core{&context};
        uint32_t irq = 0;
        core.clk = 0;
        core.reset = 1;
        core.externalResetVector = bench.boot;
        core.timerInterrupt = core.softwareInterrupt = 0;
        core.externalInterruptArray = 0;
        core.iBusWishbone_ACK = core.dBusWishbone_ACK = core.iBusWishbone_ERR = core.dBusWishbone_ERR = 0;
        core.iBusWishbone_DAT_MISO = core.dBusWishbone_DAT_MISO = 0;
        for (int i = 0; i < 4; i++) {
            core.clk = 0; core.eval();
            core.clk = 1; core.eval();
        }
        core.reset = 0;
        for (uint32_t cycle = 0; bench.goes_on(cycle); cycle++) {
            core.clk = 0;
            bench.inputs(cycle, irq);
            core.softwareInterrupt = irq >> 3 & 1;
            core.timerInterrupt = irq >> 7 & 1;
            core.externalInterruptArray = irq >> 16;
            core.eval();
            const auto &inner = *core.VexRiscv;
            if (inner.lastStageIsFiring) {
                bool writes = inner.lastStageRegFileWrite_valid;
                uint32_t rd = writes ? inner.lastStageRegFileWrite_payload_address : 0;
                uint32_t value = rd ? inner.lastStageRegFileWrite_payload_data : 0;
                bench.retired.insert(bench.retired.end(), {inner.lastStagePc, cycle, rd, value});
            }
#ifdef TRACE
#include "trace.h"
#endif
            bool fetch = core.iBusWishbone_CYC && core.iBusWishbone_STB && !core.iBusWishbone_ACK;
            bool data = core.dBusWishbone_CYC && core.dBusWishbone_STB && !core.dBusWishbone_ACK, error = false;
            uint32_t fetched = bench.fetch(core.iBusWishbone_ADR << 2), read = 0;
            if (data) {
                read = bench.access(core.dBusWishbone_ADR << 2, core.dBusWishbone_WE ? core.dBusWishbone_SEL : 0,
                                    core.dBusWishbone_DAT_MOSI, cycle, error);
            }
            core.clk = 1; core.eval();
            core.iBusWishbone_ACK = fetch;
            core.iBusWishbone_DAT_MISO = fetched;
            core.dBusWishbone_ACK = data;
            core.dBusWishbone_DAT_MISO = read;
        }
        core.final();
        bench.answer();
    }
    return 0;
}
