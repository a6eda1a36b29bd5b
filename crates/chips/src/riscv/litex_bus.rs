//! The bus of LiteX's simulated SoC.

use cyclescope_riscv::timing::litex::{MEMORY, REGISTERS, Region, Wishbone, wishbone};

use crate::generated::litex_vexriscv as litex;

/// The memory at `index` of LiteX's map.
const fn memory(index: usize) -> Region {
    let (name, base, bytes) = litex::MEMORIES[index];
    Region { name, base, bytes, row: MEMORY }
}

/// One of the two buffers, each a memory of its own, of the region at `index`.
const fn buffer(index: usize, number: u32) -> Region {
    let Region { name, base, bytes, row } = memory(index);
    Region { name, base: base + number * bytes / 2, bytes: bytes / 2, row }
}

/// The bus between the core of `litex-vexriscv` and its memories and registers.
pub static LITEX_BUS: Wishbone = wishbone(&[
    memory(0),
    memory(2),
    memory(1),
    Region { name: "csr", base: litex::CSR.0, bytes: litex::CSR.1, row: REGISTERS },
    buffer(4, 0),
    buffer(4, 1),
    buffer(5, 0),
    buffer(5, 1),
]);

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
