// LiteX's simulated SoC under Verilator. All numbers are words of 32 bits, little-endian. At the start the peer sends a number that
// names the design.
//
// With MASTERS, two masters that the oracle plays take the place of the CPU; the bus keeps its state from one request to the next.
// A request: a number of cycles, and for each what the instructions' and the data's master present (litex_masters.v), and CTI, that of
// instructions from bit 0 and that of data from bit 3 on. The answer: for each cycle, which of the two are acknowledged in it, in bits
// 0 and 1.
//
// Otherwise VexRiscv runs a program from a reset. A request: the number of cycles, the address of the reset, the number of pieces of
// memory, and for each its address, its words and their values. The answer: for each cycle what both masters present (bit 0 is STB,
// bit 1 WE, the others the address), a word of other signals (bits 0 and 1 the acknowledges, 2 and 3 CYC, 4 and 5 ERR, from 8 and from
// 12 on CTI, each for instructions first; from 16 on the register that the retiring instruction writes, 0 for none; from 24 on the
// first interrupt inputs; from 28 on SEL), the address of the instruction that retires, with bit 0 set, or 0, the value that it writes,
// and the word on the data's bus: the one written if WE is set, or the one read.
#include "Vsim.h"
#include "Vsim_sim.h"
#include "Vsim_VexRiscv.h"
#include "verilated.h"
#include <cstdio>
#include <vector>

static bool take(void *to, size_t bytes) { return fread(to, 1, bytes, stdin) == bytes; }

static void give(const std::vector<uint32_t> &words) {
    fwrite(words.data(), 4, words.size(), stdout);
    fflush(stdout);
}

struct Soc {
    VerilatedContext context;
    Vsim top{&context};
    Vsim_sim &inner = *top.sim;

    void falls() { top.sys_clk = 0; top.eval(); }
    void rises() { top.sys_clk = 1; top.eval(); }

    uint32_t acknowledged() const { return inner.simsoc_ibus_ack | inner.simsoc_dbus_ack << 1; }

    void reset() {
        for (int i = 0; i < 4; i++) {
            inner.int_rst = 1;
            falls();
            rises();
        }
    }
};

#ifdef MASTERS
static bool request(Soc &soc) {
    uint32_t cycles;
    if (!take(&cycles, 4)) return false;
    std::vector<uint32_t> script(3 * size_t(cycles)), answer(cycles);
    if (!take(script.data(), 4 * script.size())) return false;
    for (uint32_t cycle = 0; cycle < cycles; cycle++) {
        soc.inner.VexRiscv->next_fetch = script[3 * cycle];
        soc.inner.VexRiscv->next_data = script[3 * cycle + 1];
        soc.inner.VexRiscv->next_cti = script[3 * cycle + 2];
        soc.falls();
        soc.rises();
        answer[cycle] = soc.acknowledged();
    }
    give(answer);
    return true;
}
#else
// Sets a word of main RAM. With SDRAM an address has the column, then the bank, then the row.
static void main_ram(Vsim_sim &inner, uint32_t at, uint32_t value) {
#ifdef SDRAM
    uint32_t bank = at >> 9 & 3, place = (at >> 11) << 9 | (at & 511);
    switch (bank) {
    case 0: inner.mem_1[place] = value; break;
    case 1: inner.mem_2[place] = value; break;
    case 2: inner.mem_3[place] = value; break;
    default: inner.mem_4[place] = value; break;
    }
#else
    inner.main_ram[at] = value;
#endif
}

static bool request(Soc &soc) {
    uint32_t head[3], piece[2];
    if (!take(head, sizeof head)) return false;
    auto &bus = soc.inner;
    bus.simsoc_vexriscv = head[1];
    // A store of the program before may still be on the bus: the reset ends it, and then memory is filled.
    soc.reset();
    for (uint32_t i = 0; i < head[2]; i++) {
        if (!take(piece, sizeof piece)) return false;
        for (uint32_t word = 0; word < piece[1]; word++) {
            uint32_t address = piece[0] + 4 * word, at = (address & 0x0FFFFFFF) / 4, value;
            if (!take(&value, 4)) return false;
            switch (address >> 28) {
            case 0: soc.inner.rom[at] = value; break;
            case 1: soc.inner.sram[at] = value; break;
            default: main_ram(soc.inner, at, value); break;
            }
        }
    }
#ifdef SDRAM
    // A reset leaves the cache's lines as they are.
    for (auto &tag : soc.inner.tag_mem.m_storage) tag = 0;
#endif
    std::vector<uint32_t> answer;
    for (uint32_t cycle = 0; cycle < head[0]; cycle++) {
        soc.falls();
        const auto &core = *bus.VexRiscv;
        bool writes = core.lastStageIsFiring && core.lastStageRegFileWrite_valid;
        uint32_t rd = writes ? core.lastStageRegFileWrite_payload_address : 0;
        answer.push_back(bus.simsoc_ibus_adr << 2 | bus.simsoc_ibus_we << 1 |
                         bus.simsoc_ibus_stb);
        answer.push_back(bus.simsoc_dbus_adr << 2 | bus.simsoc_dbus_we << 1 |
                         bus.simsoc_dbus_stb);
        answer.push_back(soc.acknowledged() | bus.simsoc_ibus_cyc << 2 | bus.simsoc_dbus_cyc << 3 |
                         bus.simsoc_ibus_err << 4 | bus.simsoc_dbus_err << 5 |
                         bus.simsoc_ibus_cti << 8 | bus.simsoc_dbus_cti << 12 | rd << 16 |
                         (bus.simsoc_interrupt & 15) << 24 | uint32_t(bus.simsoc_dbus_sel) << 28);
        answer.push_back(core.lastStageIsFiring ? core.lastStagePc | 1 : 0);
        answer.push_back(rd ? core.lastStageRegFileWrite_payload_data : 0);
        answer.push_back(bus.simsoc_dbus_we ? bus.simsoc_dbus_dat_w : bus.simsoc_dbus_dat_r);
        soc.rises();
    }
    give(answer);
    return true;
}
#endif

int main() {
    give({GREETING});
    Soc soc;
    soc.reset();
    while (request(soc)) {}
    soc.top.final();
    return 0;
}
