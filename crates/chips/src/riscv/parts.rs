//! The parts: two cores in small systems like those that come with their sources, QEMU's `virt`, and LiteX's simulated SoC.
//! docs/riscv.md has their maps.

use cyclescope_machine::units::{Address, Bytes, Hertz};
use cyclescope_peripherals::riscv::{Instance, Kind, Wire};
use cyclescope_riscv::decode::Extensions;
use cyclescope_riscv::timing;
use cyclescope_riscv::timing::CoreTiming;
use cyclescope_riscv::{Config, Misaligned, PicoConfig, Privileged, Traps};

use super::{Hole, RiscvPart};
use crate::generated::litex_vexriscv as litex;
use crate::part::Region;

const fn region(base: u32, bytes: u32) -> Region {
    Region { base: Address::new(base), bytes: Bytes::new(bytes as u64) }
}

const fn instance(name: &'static str, base: u32, bytes: u32, kind: Kind, wires: &'static [Wire]) -> Instance {
    Instance { name, base, bytes, kind, wires }
}

const NO_ROM: Region = region(0, 0);

/// The lines of the privileged architecture.
const STANDARD: [(u8, &str); 3] = [(3, "software"), (7, "timer"), (11, "external")];

const IBEX_RAM: u32 = 0x0010_0000;

/// Ibex in the manner of its Simple System: RAM, the simulator's registers and the timer where that has them, and a UART.
pub static IBEX: RiscvPart = RiscvPart {
    name: "ibex",
    config: Config {
        timing: &timing::IBEX,
        extensions: Extensions::IMC,
        misaligned: Misaligned::Hardware,
        traps: Traps::Privileged(Privileged::ibex(IBEX_RAM)),
        reset: IBEX_RAM + 0x80,
        hart: 0,
        semihosting: true,
    },
    core: "an Ibex (RV32IMC)",
    clock: Hertz::new(50_000_000),
    rom: NO_ROM,
    ram: region(IBEX_RAM, 0x10_0000),
    other_rams: &[],
    starts: &[IBEX_RAM + 0x80],
    instances: &[
        instance("SIM_CTRL", 0x0002_0000, 0x400, Kind::SimulatorControl { number: 1 }, &[]),
        instance("TIMER", 0x0003_0000, 0x400, Kind::IbexTimer, &[Wire::Core(7)]),
        instance("FINISHER", 0x0004_0000, 0x400, Kind::Finisher, &[]),
        instance("UART", 0x1000_0000, 0x100, Kind::Uart16550 { number: 0, timed: true }, &[Wire::Core(16)]),
    ],
    holes: &[],
    interrupts: &[STANDARD[0], STANDARD[1], STANDARD[2], (16, "uart")],
};

/// PicoRV32 in the manner of its own test bench: RAM, a UART where that prints, and its end of a run.
pub static PICORV32: RiscvPart = RiscvPart {
    name: "picorv32",
    config: Config {
        timing: &timing::PICORV32,
        extensions: Extensions::PICORV32,
        misaligned: Misaligned::Trap,
        traps: Traps::Pico(PicoConfig::DEFAULT),
        reset: 0,
        hart: 0,
        semihosting: true,
    },
    core: "a PicoRV32 (RV32IMC)",
    clock: Hertz::new(50_000_000),
    rom: NO_ROM,
    ram: region(0, 0x10_0000),
    other_rams: &[],
    starts: &[0],
    instances: &[
        instance("UART", 0x1000_0000, 0x100, Kind::Uart16550 { number: 0, timed: true }, &[Wire::Core(3)]),
        instance("FINISHER", 0x2000_0000, 0x100, Kind::PicoFinisher, &[]),
        instance("CLINT", 0x3000_0000, 0x1_0000, Kind::Clint { divider: 1 }, &[Wire::Core(5), Wire::Core(4)]),
    ],
    holes: &[],
    interrupts: &[(0, "own timer"), (1, "break"), (2, "bus error"), (3, "uart"), (4, "timer"), (5, "software")],
};

/// The empty virtio slot of this number.
const fn virtio_slot(name: &'static str, number: u8) -> Instance {
    instance(name, 0x1000_1000 + 0x1000 * number as u32, 0x200, Kind::VirtioSlot, &[])
}

/// QEMU's machine `virt`, with one hart that has M and U mode.
pub static VIRT: RiscvPart = RiscvPart {
    name: "virt",
    config: Config {
        timing: &timing::INSTRUCTIONS,
        extensions: Extensions::IMAC,
        misaligned: Misaligned::Hardware,
        traps: Traps::Privileged(Privileged::plain(16)),
        reset: 0x8000_0000,
        hart: 0,
        semihosting: true,
    },
    core: "an RV32IMAC",
    // Its clock of 10 MHz is the only time that QEMU's machine has.
    clock: Hertz::new(100_000_000),
    rom: NO_ROM,
    ram: region(0x8000_0000, 0x800_0000),
    other_rams: &[],
    starts: &[0x8000_0000],
    instances: &[
        instance("TEST", 0x0010_0000, 0x1000, Kind::Finisher, &[]),
        instance("CLINT", 0x0200_0000, 0x1_0000, Kind::Clint { divider: 10 }, &[Wire::Core(3), Wire::Core(7)]),
        instance("PLIC", 0x0C00_0000, 0x60_0000, Kind::Plic { sources: 95 }, &[Wire::Core(11)]),
        instance("UART0", 0x1000_0000, 0x100, Kind::Uart16550 { number: 0, timed: false }, &[Wire::Plic(10)]),
        virtio_slot("VIRTIO0", 0),
        virtio_slot("VIRTIO1", 1),
        virtio_slot("VIRTIO2", 2),
        virtio_slot("VIRTIO3", 3),
        virtio_slot("VIRTIO4", 4),
        virtio_slot("VIRTIO5", 5),
        virtio_slot("VIRTIO6", 6),
        virtio_slot("VIRTIO7", 7),
    ],
    holes: &[
        Hole { name: "boot ROM", base: 0x1000, bytes: 0xF000 },
        Hole { name: "RTC", base: 0x0010_1000, bytes: 0x1000 },
        Hole { name: "PCIe", base: 0x0300_0000, bytes: 0x1_0000 },
        Hole { name: "fw_cfg", base: 0x1010_0000, bytes: 0x18 },
        Hole { name: "flash", base: 0x2000_0000, bytes: 0x400_0000 },
        Hole { name: "PCIe configuration", base: 0x3000_0000, bytes: 0x1000_0000 },
        Hole { name: "PCIe window", base: 0x4000_0000, bytes: 0x4000_0000 },
    ],
    interrupts: &STANDARD,
};

/// QEMU's machine `virt` with Smepmp, as with `-cpu rv32,smepmp=true`.
pub static VIRT_SMEPMP: RiscvPart = RiscvPart {
    name: "virt-smepmp",
    config: Config { traps: Traps::Privileged(Privileged { smepmp: true, ..Privileged::plain(16) }), ..VIRT.config },
    core: "an RV32IMAC with Smepmp",
    ..VIRT
};

/// A memory of LiteX's.
const fn litex_memory(index: usize) -> Region {
    let (_, base, bytes) = litex::MEMORIES[index];
    region(base, bytes)
}

/// The lines of VexRiscv's external interrupt array begin here.
const ARRAY: u8 = 32;

/// The external interrupt, then the inputs of the array behind it.
const fn litex_interrupts() -> [(u8, &'static str); 1 + litex::INTERRUPTS.len()] {
    let mut lines = [STANDARD[2]; 1 + litex::INTERRUPTS.len()];
    let mut index = 0;
    while index < litex::INTERRUPTS.len() {
        let (number, name) = litex::INTERRUPTS[index];
        lines[index + 1] = (ARRAY + number, name);
        index += 1;
    }
    lines
}

/// VexRiscv on the bus of that SoC.
static LITEX_CORE: CoreTiming = timing::vexriscv_on(&super::LITEX_BUS);

/// VexRiscv in the SoC that LiteX's simulator builds.
pub static LITEX_VEXRISCV: RiscvPart = RiscvPart {
    name: "litex-vexriscv",
    config: Config {
        timing: &LITEX_CORE,
        extensions: Extensions { data_cache: true, ..Extensions::IMC },
        misaligned: Misaligned::Trap,
        traps: Traps::Privileged(Privileged::vexriscv(16)),
        reset: 0,
        hart: 0,
        semihosting: true,
    },
    core: "a VexRiscv (RV32IMC)",
    clock: Hertz::new(litex::CLOCK_HZ),
    rom: litex_memory(0),
    ram: litex_memory(2),
    other_rams: &[litex_memory(1)],
    // Where there is no BIOS in ROM, what it would boot.
    starts: &[litex_memory(0).base.get(), litex_memory(2).base.get()],
    instances: litex::INSTANCES,
    holes: &[
        Hole { name: "ethmac", base: litex::MEMORIES[3].1, bytes: litex::MEMORIES[3].2 },
        Hole { name: "csr", base: litex::CSR.0, bytes: litex::CSR.1 },
    ],
    interrupts: const { &litex_interrupts() },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_are_the_ones_that_their_names_say() {
        let names: Vec<&str> = litex::MEMORIES.iter().map(|(name, ..)| *name).collect();
        assert_eq!(names[..4], ["rom", "sram", "main_ram", "ethmac"]);
        assert_eq!((LITEX_VEXRISCV.rom.bytes.get(), LITEX_VEXRISCV.ram.bytes.get()), (1 << 20, 256 << 20));
    }

    #[test]
    fn nothing_lies_on_anything_else() {
        for part in [&IBEX, &PICORV32, &VIRT, &VIRT_SMEPMP, &LITEX_VEXRISCV] {
            let memories = part.memories().map(|memory| (memory.base.get(), memory.bytes.get()));
            let blocks = part.instances.iter().map(|block| (block.base, u64::from(block.bytes)));
            // The region of LiteX's registers is one large hole around its banks.
            let holes = part.holes.iter().filter(|hole| hole.name != "csr");
            let holes = holes.map(|hole| (hole.base, u64::from(hole.bytes)));
            let mut all: Vec<(u32, u64)> = memories.chain(blocks).chain(holes).collect();
            all.sort_unstable();
            for pair in all.windows(2) {
                assert!(u64::from(pair[0].0) + pair[0].1 <= u64::from(pair[1].0), "{}: {pair:x?}", part.name);
            }
        }
    }
}
