//! The bus of a system that LiteX builds: one bus that instructions and data share, memories and registers that answer in the cycle
//! after a request; by options of LiteX memories that answer bursts, and SDRAM behind a cache ([`litedram`](super::litedram)).
//!
//! `pipeline/bus.rs` says when each master is acknowledged; held against the Verilog that LiteX generates, cycle by cycle, and
//! so are the retirements of each variant of VexRiscv on it (`cargo xtask oracle litex`).

use cyclescope_engine::timing_rows;
use cyclescope_machine::TimingRow;

pub use crate::pipeline::{Region, Request, Sdram, SdramPart, SharedBus, Slave, Wishbone};

const fn measured(name: &'static str, what: &'static str, cycles: u32, source: &'static str) -> TimingRow {
    TimingRow::measured(name, what, cycles, source)
}

timing_rows! {
    Grant = measured(
        "grant",
        "from a master's request, while the other one has the grant and makes none, to its own grant",
        1,
        "LiteX 2024.12, wishbone.Arbiter over migen's RoundRobin, under Verilator"
    ),
    Memory = measured(
        "memory",
        "from a request with the grant to the acknowledgement of ROM, SRAM, main RAM or a buffer of the Ethernet core; the same for each \
         word of a burst",
        1,
        "LiteX 2024.12, wishbone.SRAM without bus_bursting, under Verilator"
    ),
    Registers = measured(
        "registers",
        "from a request with the grant to the acknowledgement of control and status registers",
        1,
        "LiteX 2024.12, wishbone.Wishbone2CSR with register=False, as in a SoC without SDRAM, under Verilator"
    ),
    Timeout = measured(
        "timeout",
        "from a request with the grant to the bus's own acknowledgement where no slave is",
        1_000_000,
        "LiteX 2024.12, wishbone.Timeout with SoCCore's bus_timeout, under Verilator"
    ),
    Burst = measured(
        "burst",
        "where the system has bus_bursting: from the acknowledgement of ROM, SRAM or main RAM that is no SDRAM to that of the burst's next \
         word",
        1,
        "LiteX 2024.12, wishbone.SRAM with bus_bursting, under Verilator"
    ),
    Registered = measured(
        "registered",
        "where the system has SDRAM: from a request with the grant to the acknowledgement of control and status registers",
        2,
        "LiteX 2024.12, wishbone.Wishbone2CSR with register=True, under Verilator"
    ),
}

/// Every row.
pub const ALL: &[TimingRow; COUNT] = ROWS;
/// The number of rows, of the first ones, that a system without bursts and SDRAM has.
pub const USUAL: usize = Id::Burst as usize;
/// The row of the arbiter.
pub const GRANT: usize = Id::Grant as usize;
/// The row of memories.
pub const MEMORY: usize = Id::Memory as usize;
/// The row of a burst's further words.
pub const BURST: usize = Id::Burst as usize;
/// The row of control and status registers.
pub const REGISTERS: usize = Id::Registers as usize;

/// The row of control and status registers in a system with SDRAM.
pub const REGISTERED: usize = Id::Registered as usize;

/// Memory, which answers bursts as such or word by word.
pub const fn memory(bursting: bool) -> Slave {
    if bursting { Slave::Bursting(MEMORY) } else { Slave::Fixed(MEMORY) }
}

/// Returns the bus with the slaves `regions`, whose rows are [`MEMORY`], [`REGISTERS`] or [`REGISTERED`].
pub const fn wishbone(regions: &'static [Region]) -> Wishbone {
    Wishbone { rows: ROWS, regions, timeout: Id::Timeout as usize }
}
