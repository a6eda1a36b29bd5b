//! Power control of STM32C0 (RM0490, "Power control (PWR)"): a line of [`super::pwr_low`] with Stop, Standby and Shutdown mode
//! and five wake-up pins.

use cyclescope_machine::TimingRow;
use cyclescope_machine::units::Hertz;

use super::pwr_low::Line;
use crate::Modelled;
use crate::bank::{all, but};

/// The modelled registers and fields, with the values after power-on (RM0490, "PWR register map").
pub const MODEL: &[Modelled] = &[
    but("CR1", 0x0000_0208, &["FPD_SLP"]),
    all("CR3", 0x0000_8000),
    all("CR4", 0).and(&["SR1", "SCR"]),
    all("PUCRA", 0).and(&["PUCRB", "PUCRC", "PUCRD", "PUCRE", "PUCRF"]),
    all("PDCRA", 0).and(&["PDCRB", "PDCRC", "PDCRD", "PDCRE", "PDCRF"]),
    // FLASH_RDY: the flash has power whenever the program runs.
    all("SR2", 0x0000_0080),
];

/// Wake-up times, in periods of 48 MHz.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "pwr.stop",
        "from what wakes the part from Stop mode until it runs from HSI48, in periods of 48 MHz",
        240,
        "5 us, the order of magnitude in DS13867 (Low-power mode wakeup times), to be checked",
    ),
    TimingRow::assumed(
        "pwr.stop_flash_off",
        "the same with flash without power in Stop mode (FPD_STOP), in periods of 48 MHz",
        432,
        "9 us, the order of magnitude in DS13867 (Low-power mode wakeup times), to be checked",
    ),
    TimingRow::assumed(
        "pwr.standby",
        "from what wakes the part from Standby mode until it is reset, in periods of 48 MHz",
        1_440,
        "30 us, the order of magnitude in DS13867 (Low-power mode wakeup times), to be checked",
    ),
    TimingRow::assumed(
        "pwr.shutdown",
        "from what wakes the part from Shutdown mode until it is reset, in periods of 48 MHz",
        16_800,
        "350 us, the order of magnitude in DS13867 (Low-power mode wakeup times), to be checked",
    ),
];

/// The line.
pub static LINE: Line = Line {
    model: MODEL,
    pins: 0x3F,
    ports: 6,
    stops: 1,
    regulator: None,
    boosts: false,
    guards: false,
    thresholds: &[],
    keeps_ram: false,
    wake_up: |slept| match slept.stop {
        Some(_) => &ROWS[usize::from(slept.flash_off)],
        None => &ROWS[2 + slept.shutdown as usize],
    },
    reference: Hertz::new(48_000_000),
};
