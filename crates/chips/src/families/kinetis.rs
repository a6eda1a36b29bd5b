//! Kinetis K20, 72 MHz (K20P64M72SF1RM, "Memory Map").

use cyclescope_machine::TimingRow;
use cyclescope_peripherals::kinetis::{adc, edma, fmc, i2c, mcg, pdb, sim, spi, uart, wdog};

use crate::family::{Cost, Family, Lanes, Segment, Unclocked};

static AIPS: TimingRow = TimingRow::assumed(
    "bus.aips",
    "periods of the bus clock of an access over a peripheral bridge, from that clock's first edge in its data phase \
           on; the wait for that edge comes before, and the core's own timing has one cycle of it all",
    2,
    "K20P64M72SF1RM, Peripheral Bridge (AIPS-Lite): accesses take at least two bus clocks; not measured",
);

static GPIO: TimingRow = TimingRow::assumed(
    "bus.gpio",
    "extra cycles of an access to GPIO, a slave of the crossbar itself",
    0,
    "K20P64M72SF1RM, Crossbar Light Switch: a granted access to an idle slave takes no extra cycle",
);

/// The family.
pub(crate) static KINETIS_K20: Family = Family {
    segments: &[
        Segment::new(0x400F_F000, 0x4010_0000, Lanes::Own, Cost::Adds(&GPIO)).with_blocks_to(0x400F_F400),
        Segment::new(0x4000_0000, 0x400F_F000, Lanes::Own, Cost::Apb1(&AIPS)),
        // FlexNVM and FlexRAM: nothing of them is modelled, so each access is named.
        Segment::new(0x1000_0000, 0x1000_8000, Lanes::Own, Cost::None).with_blocks_to(0x1000_0000),
        Segment::new(0x1400_0000, 0x1400_0800, Lanes::Own, Cost::None).with_blocks_to(0x1400_0000),
        // MCM, on the core's external private peripheral bus.
        Segment::new(0xE008_0000, 0xE008_1000, Lanes::Own, Cost::None).with_blocks_to(0xE008_0400),
    ],
    rows: &[
        adc::ROWS,
        edma::ROWS,
        fmc::ROWS,
        i2c::ROWS,
        mcg::ROWS,
        pdb::ROWS,
        sim::ROWS,
        spi::ROWS,
        uart::ROWS,
        wdog::ROWS,
    ],
    flash_rows: fmc::READ_ROWS,
    flash_sizes: 32_768..0x0004_0001,
    unclocked: Unclocked::Fault,
    reads_by_byte: true,
    ram_sizes: 4096..0x0001_0001,
    ..Family::bare("kinetis-k20")
};
