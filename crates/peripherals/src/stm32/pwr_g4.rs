//! Power control of STM32G4 (RM0440, "Power control (PWR)"): a line of [`super::pwr_low`] with two voltage ranges and a boost of
//! the first, Stop 0 and 1, Standby and Shutdown mode and five wake-up pins.

use cyclescope_machine::TimingRow;
use cyclescope_machine::units::Hertz;

use super::pwr_low::{Line, Slept};
use crate::bank::{all, but};
use crate::{Modelled, VoltageRange};

/// The modelled registers and fields, with the values after power-on (RM0440 §6.4.23, "PWR register map").
pub const MODEL: &[Modelled] = &[
    all("CR1", 0x0000_0200),
    all("CR2", 0).and(&["SR1", "SCR"]),
    but("CR3", 0x0000_8000, &["UCPD1_STDBY", "UCPD1_DBDIS"]),
    but("CR4", 0, &["VBE", "VBRS"]).unseen(&["VBE", "VBRS"]),
    all("PUCRA", 0).and(&["PUCRB", "PUCRC", "PUCRD", "PUCRE", "PUCRF", "PUCRG"]),
    all("PDCRA", 0).and(&["PDCRB", "PDCRC", "PDCRD", "PDCRE", "PDCRF", "PDCRG"]),
    // REGLPS: the low-power regulator is ready.
    all("SR2", 0x0000_0100),
    all("CR5", 0x0000_0100),
];

/// Thresholds of PLS.
const THRESHOLDS: [i32; 7] = [2_000, 2_200, 2_400, 2_500, 2_600, 2_800, 2_900];

const TIMINGS: &str = "DS12589, Low-power mode wakeup timings, to be checked";

const fn row(name: &'static str, what: &'static str, periods: u32) -> TimingRow {
    TimingRow::assumed(name, what, periods, TIMINGS)
}

/// Times of the regulator and of waking up, typical, in periods of 16 MHz.
pub const ROWS: &[TimingRow] = &[
    row("pwr.range", "a change of the voltage range, until VOSF falls, in periods of 16 MHz: 20 us", 320),
    row("pwr.low_power_run", "from LPR=0 until REGLPF falls, in periods of 16 MHz: 5 us", 80),
    row(
        "pwr.stop0",
        "from what wakes the part from Stop 0 mode in range 1 until it runs, in periods of 16 MHz: 5.8 us",
        93,
    ),
    row("pwr.stop0_range2", "the same in range 2: 18.4 us", 294),
    row("pwr.stop1", "the same from Stop 1 mode in range 1: 9.5 us", 152),
    row("pwr.stop1_range2", "the same in range 2: 21.9 us", 350),
    row("pwr.stop1_low_power_run", "the same to Low-power run mode: 26.6 us", 426),
    row("pwr.standby", "from what wakes the part from Standby mode until it is reset: 29.7 us", 475),
    row("pwr.shutdown", "the same from Shutdown mode: 267.9 us", 4_286),
];

fn wake_up(slept: Slept) -> &'static TimingRow {
    let row = match slept.stop {
        None => 7 + usize::from(slept.shutdown),
        Some(_) if slept.low_power_run => 6,
        Some(stop) => 2 + 2 * usize::from(stop.min(1)) + usize::from(slept.range == VoltageRange::Low),
    };
    &ROWS[row]
}

/// The line.
pub static LINE: Line = Line {
    model: MODEL,
    pins: 0x1F,
    ports: 7,
    stops: 2,
    regulator: Some([&ROWS[0], &ROWS[1]]),
    boosts: true,
    guards: true,
    thresholds: &THRESHOLDS,
    keeps_ram: false,
    wake_up,
    reference: Hertz::new(16_000_000),
};
