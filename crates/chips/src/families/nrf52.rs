//! nRF52840 (4413_417, its product specification; "Memory", "Bus and memory map").

use cyclescope_machine::TimingRow;
use cyclescope_peripherals::nrf::{ROWS, nvmc};

use crate::family::{Cost, Family, Lanes, Segment, Unclocked};

static APB: TimingRow = TimingRow::assumed(
    "bus.apb",
    "extra cycles of an access to a peripheral on the APB",
    3,
    "one period of PCLK16M in all: nRF52840 PS v1.7, Peripheral interface, says that a cleared event or interrupt takes up to \
     four core cycles to have an effect, and no more about the time of an access",
);

static GPIO: TimingRow = TimingRow::measured(
    "bus.gpio",
    "extra cycles of an access to GPIO, a slave of the AHB",
    0,
    "nRF52840-DK: a loop of 3 cycles with a write of OUTSET and one of OUTCLR takes 5 (RIOT-OS/RIOT#17980)",
);

/// The family.
pub(crate) static NRF52: Family = Family {
    segments: &[
        Segment::new(0x5000_0000, 0x5000_1000, Lanes::Own, Cost::Adds(&GPIO)).with_blocks_to(0x5000_0C00),
        Segment::new(0x4000_0000, 0x4003_0000, Lanes::Own, Cost::Adds(&APB)),
        // Registers without a name that the vendor's workarounds for errata 171 and 187 (USBD) write.
        Segment::new(0x4006_E000, 0x4006_F000, Lanes::Own, Cost::Adds(&APB)).with_blocks_to(0x4006_E000),
        // CRYPTOCELL.
        Segment::new(0x5002_A000, 0x5002_C000, Lanes::Own, Cost::Adds(&APB)),
    ],
    // FICR and UICR.
    factory: 0x1000_0000..0x1000_2000,
    rows: ROWS,
    flash_rows: nvmc::READ_ROWS,
    flash_sizes: 4096..0x0010_0001,
    // Workarounds of errata write where the manual has no register, and no fault comes.
    unclocked: Unclocked::Unsaid,
    // RAM 0 to 7 of two sections of 4 KiB, RAM 8 of six of 32 ("RAM sections").
    ram_slaves: &[0x2000, 0x4000, 0x6000, 0x8000, 0xA000, 0xC000, 0xE000, 0x1_0000],
    // "AHB multilayer": the masters from highest to lowest priority.
    core_goes_first: true,
    ram_sizes: 4096..0x0004_0001,
    // "SysTick does not count while the CPU is stopped" by WFI, WFE or SLEEPONEXIT: as rtic-rs/rtic#210 has it from PS v1.1.
    stands_asleep: true,
    ..Family::bare("nrf52")
};
