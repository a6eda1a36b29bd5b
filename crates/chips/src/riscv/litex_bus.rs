//! The bus of LiteX's simulated SoC, and of the same with other memory.

use cyclescope_riscv::timing::litedram::{self, L2_BYTES, MT48LC16M16_BYTES};
use cyclescope_riscv::timing::litex::{
    self as bus, MEMORY, REGISTERED, REGISTERS, Region, Sdram, Slave, Wishbone, wishbone,
};

use crate::generated::litex_vexriscv as litex;

/// The memory at `index` of LiteX's map.
const fn memory(index: usize, slave: Slave) -> Region {
    let (name, base, bytes) = litex::MEMORIES[index];
    Region { name, base, bytes, slave }
}

/// One of the two buffers, each a memory of its own, of the region at `index`.
const fn buffer(index: usize, number: u32) -> Region {
    let Region { name, base, bytes, slave } = memory(index, Slave::Fixed(MEMORY));
    Region { name, base: base + number * bytes / 2, bytes: bytes / 2, slave }
}

/// The slaves: `ram` is the main one, memories are built with `bus_bursting` or not, and registers have this row.
const fn slaves(ram: Region, bursting: bool, registers: usize) -> [Region; 8] {
    [
        memory(0, bus::memory(bursting)),
        ram,
        memory(1, bus::memory(bursting)),
        Region { name: "csr", base: litex::CSR.0, bytes: litex::CSR.1, slave: Slave::Fixed(registers) },
        buffer(4, 0),
        buffer(4, 1),
        buffer(5, 0),
        buffer(5, 1),
    ]
}

static SDRAM: Sdram = litedram::mt48lc16m16(L2_BYTES);
static SMALL: Sdram = litedram::mt48lc16m16(2048);

/// Main RAM that is `sdram`.
const fn main_ram(sdram: &'static Sdram) -> Region {
    Region { bytes: MT48LC16M16_BYTES, ..memory(2, Slave::Sdram(sdram)) }
}

/// The bus between the core of `litex-vexriscv` and its memories and registers.
pub static LITEX_BUS: Wishbone = wishbone(const { &slaves(memory(2, Slave::Fixed(MEMORY)), false, REGISTERS) });

/// The same in a SoC with `bus_bursting`.
pub static LITEX_BURSTING: Wishbone = wishbone(const { &slaves(memory(2, Slave::Bursting(MEMORY)), true, REGISTERS) });

/// The same in a SoC whose main RAM is SDRAM (`with_sdram`).
pub static LITEX_SDRAM: Wishbone = wishbone(const { &slaves(main_ram(&SDRAM), false, REGISTERED) });

/// The same in one with both, and a cache of 2 KiB, in which a line and the one that takes its place may be of different banks.
pub static LITEX_SDRAM_BURSTING: Wishbone = wishbone(const { &slaves(main_ram(&SMALL), true, REGISTERED) });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_memory_of_the_map_is_a_slave_or_two() {
        for (name, base, bytes) in litex::MEMORIES.iter().filter(|(name, ..)| *name != "ethmac") {
            for address in [*base, base + bytes - 1] {
                let slave = LITEX_BUS.slave(address).expect("a slave");
                assert_eq!(LITEX_BUS.regions[slave].name, *name, "{address:#x}");
            }
        }
        let (base, bytes) = litex::CSR;
        assert_eq!([base, base + bytes - 1, base + bytes].map(|at| LITEX_BUS.slave(at)), [Some(3), Some(3), None]);
        assert!(
            LITEX_BUS.regions.iter().all(|region| region.bytes.is_power_of_two() && region.base % region.bytes == 0)
        );
    }
}
