//! The SDRAM of LiteX's simulated SoC: LiteDRAM's controller and PHY model with an MT48LC16M16, whose times are taken as cycles at
//! 100 MHz whatever the system's clock is (`litex_sim.py`), and LiteX's L2 cache before it.
//!
//! `pipeline/sdram` is the controller, held against the Verilog that LiteX generates (`cargo xtask oracle litex`).

use cyclescope_engine::timing_rows;
use cyclescope_machine::TimingRow;

use crate::pipeline::{Sdram, SdramPart};

const fn measured(name: &'static str, what: &'static str, cycles: u32, source: &'static str) -> TimingRow {
    TimingRow::measured(name, what, cycles, source)
}

/// A time of the memory, which LiteDRAM computes from nanoseconds.
const fn part(name: &'static str, what: &'static str, cycles: u32) -> TimingRow {
    measured(name, what, cycles, "LiteDRAM 2024.12, modules.MT48LC16M16 at 100 MHz, under Verilator")
}

/// A latency of the PHY.
const fn phy(name: &'static str, what: &'static str, cycles: u32) -> TimingRow {
    measured(name, what, cycles, "LiteDRAM 2024.12, phy.model.get_sdram_phy_settings for SDR, under Verilator")
}

timing_rows! {
    Hit = measured(
        "L2 hit",
        "from a request with the grant to the acknowledgement of a word whose line is in the L2 cache; one that is not waits for the line",
        1,
        "LiteX 2024.12, wishbone.Cache, under Verilator"
    ),
    Precharge = part("tRP", "from a precharge to an activation or a refresh", 2),
    Activate = part("tRCD", "from an activation to an access", 2),
    WriteRecovery = part("tWR", "from the end of a write to a precharge", 2),
    WriteToRead = part("tWTR", "from the end of a write to a read", 2),
    Interval = part("tREFI", "from a refresh to the next one's request", 782),
    Refresh = part("tRFC", "from a refresh to an activation", 7),
    Column = part("tCCD", "from an access to the next one", 1),
    RowToRow = part("tRRD", "from an activation to that of another bank", 2),
    RowCycle = part("tRC", "from an activation to the next one of the same bank", 7),
    RowActive = part("tRAS", "from an activation to a precharge", 5),
    CasLatency = phy("CAS latency", "from a read or write to its word, as the times behind a write count it", 2),
    ReadLatency = phy("read latency", "from a read on the PHY's interface to its word", 4),
}

/// Every row.
pub const ALL: &[TimingRow; COUNT] = ROWS;

const fn cycles(id: Id) -> u32 {
    ROWS[id as usize].cycles
}

/// Returns that SDRAM behind a cache of `cache` bytes, a power of two, in lines of 16 bytes.
pub const fn mt48lc16m16(cache: u32) -> Sdram {
    Sdram {
        part: SdramPart {
            precharge: cycles(Id::Precharge),
            activate: cycles(Id::Activate),
            write_recovery: cycles(Id::WriteRecovery),
            write_to_read: cycles(Id::WriteToRead),
            refresh_interval: cycles(Id::Interval),
            refresh: cycles(Id::Refresh),
            column: cycles(Id::Column),
            row_to_row: cycles(Id::RowToRow),
            row_cycle: cycles(Id::RowCycle),
            row_active: cycles(Id::RowActive),
            cas_latency: cycles(Id::CasLatency),
            read_latency: cycles(Id::ReadLatency),
            column_bits: 9,
        },
        cache,
    }
}

/// The bytes of that memory: two chips beside each other, of 4 banks with 8192 rows of 512 columns.
pub const MT48LC16M16_BYTES: u32 = 64 << 20;
/// The bytes of the cache that LiteX takes if it is told nothing.
pub const L2_BYTES: u32 = 8192;
