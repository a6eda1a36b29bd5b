// What both RISC-V peers share: requests, memory, and what lies outside of it.
//
// A peer is a core under Verilator in a process of its own, spoken to over pipes. All numbers are words of 32 bits,
// little-endian, and all cycles count from the beginning of the first instruction.
//
// At the start: a number that names the design.
// A request: how many retirements and how many cycles to run at most; where Ibex boots from; where memory begins and how many
// bytes it has; the number of changes of the interrupt inputs, and for each the cycle and the levels from then on; the number of accesses
// outside of memory, and for each its address, what a load of that word gives, and whether it is answered by an error; then
// memory.
// The answer: the number of retirements, and for each pc, the cycle at which it ended, the register written and its value;
// the number of accesses outside of memory, and for each its address, its cycle, which bytes it wrote (none: a load) and
// the word written; then memory.
#include <cstdint>
#include <cstdio>
#include <vector>

struct Outside { uint32_t address, value, error; };

struct Bench {
    uint32_t retirements, cycles, boot, base;
    std::vector<uint32_t> changes, memory, retired, accesses;
    std::vector<Outside> outside;
    size_t next_change, next_outside;

    static bool take(void *to, size_t bytes) { return fread(to, 1, bytes, stdin) == bytes; }
    static void give(const void *from, size_t bytes) { fwrite(from, 1, bytes, stdout); }

    static void hello(uint32_t magic) {
        give(&magic, 4);
        fflush(stdout);
    }

    bool request() {
        uint32_t head[7];
        if (!take(head, sizeof head)) return false;
        retirements = head[0];
        cycles = head[1];
        boot = head[2];
        base = head[3];
        memory.resize(head[4] / 4);
        changes.resize(2 * size_t(head[5]));
        outside.resize(head[6]);
        retired.clear();
        accesses.clear();
        next_change = next_outside = 0;
        return take(changes.data(), 4 * changes.size()) && take(outside.data(), sizeof(Outside) * outside.size()) &&
               take(memory.data(), 4 * memory.size());
    }

    void answer() const {
        uint32_t count = retired.size() / 4;
        give(&count, 4);
        give(retired.data(), 4 * retired.size());
        count = accesses.size() / 4;
        give(&count, 4);
        give(accesses.data(), 4 * accesses.size());
        give(memory.data(), 4 * memory.size());
        fflush(stdout);
    }

    bool goes_on(uint32_t cycle) const { return cycle < cycles && retired.size() / 4 < retirements; }

    // The interrupt inputs in the cycle `now`.
    template <class T> void inputs(int64_t now, T &irq) {
        while (next_change < changes.size() / 2 && int64_t(changes[2 * next_change]) <= now)
            irq = changes[2 * next_change++ + 1];
    }

    bool has(uint32_t address) const { return (address - base) / 4 < memory.size(); }

    uint32_t fetch(uint32_t address) const { return has(address) ? memory[(address - base) / 4] : 0; }

    // A load, or a store of those bytes that `bytes` says: what is read, and whether it fails.
    uint32_t access(uint32_t address, uint32_t bytes, uint32_t data, int64_t now, bool &error) {
        error = false;
        if (has(address)) {
            uint32_t &word = memory[(address - base) / 4], mask = 0, before = word;
            for (int i = 0; i < 4; i++) if (bytes >> i & 1) mask |= 0xFFu << 8 * i;
            word = (word & ~mask) | (data & mask);
            return before;
        }
        address &= ~3u;
        accesses.insert(accesses.end(), {address, uint32_t(now), bytes, data});
        error = true;
        if (next_outside >= outside.size() || outside[next_outside].address != address) return 0;
        error = outside[next_outside].error;
        return outside[next_outside++].value;
    }
};
