//! RP2040 (RP-008371-DS, the data sheet of the RP2040).

use cyclescope_machine::TimingRow;
use cyclescope_peripherals::rp::{ROWS, xip};

use crate::family::{Cost, Crossbar, Family, Lanes, Mirror, Segment, Unclocked};

static APB_READ: TimingRow = TimingRow::documented(
    "bus.apb_read",
    "extra cycles of a read over the APB bridge",
    2,
    "RP-008371-DS, APB Bridge: a read has the bus for 3 cycles (2 and 1), where the AHB takes 1; so in wokwi/rp2040js#119",
);

static APB_WRITE: TimingRow = TimingRow::documented(
    "bus.apb_write",
    "extra cycles of a write over the APB bridge",
    3,
    "RP-008371-DS, APB Bridge: a write has the bus for 4 cycles (2 and 2), where the AHB takes 1; so in wokwi/rp2040js#119",
);

static IO_PORT: TimingRow = TimingRow::documented(
    "bus.io_port",
    "cycles that an access to SIO saves",
    1,
    "RP-008371-DS, Instruction Set Summary: LDR and STR take 1 cycle to the single-cycle I/O port, 2 to the AHB",
);

const APB: Cost = Cost::AddsApart { read: &APB_READ, write: &APB_WRITE };

/// The crossbar (RP-008371-DS, "Bus Fabric"), numbered as BUSCTRL_PERFSEL numbers the events of its arbiters.
static CROSSBAR: Crossbar = Crossbar {
    // SRAM0 to SRAM5.
    ram: &[7, 6, 5, 4, 3, 2],
    others: &[
        // APB, and what lies on the AHB: FASTPERI.
        (0x4000_0000, 0x5000_0000, 0),
        (0x5000_0000, 0x6000_0000, 1),
        // XIP_MAIN, with the block's registers and its serial interface, and ROM.
        (0x1000_0000, 0x2000_0000, 8),
        (0x0000_0000, 0x1000_0000, 9),
    ],
};

/// The family.
pub(crate) static RP2040: Family = Family {
    segments: &[
        Segment::new(0xD000_0000, 0xD000_1000, Lanes::Spread, Cost::Saves(&IO_PORT)).with_blocks_to(0xD000_0400),
        Segment::new(0x4000_0000, 0x4007_0000, Lanes::Spread, APB),
        // "The bus fabric does not add wait states to any AHB-Lite slave access".
        Segment::new(0x5000_0000, 0x5000_4000, Lanes::Spread, Cost::None).with_blocks_to(0x5000_1000),
        Segment::new(0x5011_0000, 0x5011_4000, Lanes::Spread, Cost::None).with_blocks_to(0x5011_1000),
        Segment::new(0x5020_0000, 0x5020_4000, Lanes::Spread, Cost::None).with_blocks_to(0x5020_1000),
        Segment::new(0x5030_0000, 0x5030_4000, Lanes::Spread, Cost::None).with_blocks_to(0x5030_1000),
        // The XIP block's registers, and those of its serial interface.
        Segment::new(0x1400_0000, 0x1400_0400, Lanes::Spread, Cost::None),
        Segment::new(0x1800_0000, 0x1800_0400, Lanes::Spread, Cost::None),
    ],
    rows: ROWS,
    flash_rows: xip::READ_ROWS,
    flash_sizes: 4096..0x0100_0001,
    // The data sheet does not say how a block in reset answers.
    unclocked: Unclocked::Unsaid,
    aliased: true,
    ram_slaves: &[256 << 10, 260 << 10],
    crossbar: Some(&CROSSBAR),
    banks: Some((0x2100_0000, 256 << 10)),
    // Of the windows those that never allocate or never look: the cache is asked at the first alone here.
    uncached_flash: &[0x1100_0000, 0x1200_0000, 0x1300_0000],
    // XIP_AUX has nothing but XIP_STREAM_FIFO.
    mirror: Some(Mirror { from: 0x5040_0000, to: 0x5040_0004, of: 0x1400_001C }),
    cores: 2,
    ram_sizes: 4096..0x0004_2001,
    ..Family::bare("rp2040")
};
