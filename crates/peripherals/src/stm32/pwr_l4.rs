//! Power control of STM32L4 (RM0351, RM0394) and L4+ (RM0432), "Power control (PWR)": lines of [`super::pwr_low`] with two voltage
//! ranges, in L4+ a boost of the first, Stop 0, 1 and 2, Standby and Shutdown mode and five wake-up pins. Whether VDDIO2 and VDDUSB
//! are valid (IOSV, USV) is stored without effect.

use cyclescope_machine::TimingRow;
use cyclescope_machine::units::Hertz;

use super::pwr_low::{Line, Slept};
use crate::Modelled;
use crate::bank::{all, but};

/// The modelled registers and fields, with the values after power-on (RM0351 and RM0432, "PWR register map").
pub const MODEL: &[Modelled] = &[
    all("CR1", 0x0000_0200),
    but("CR2", 0, &["IOSV", "USV"]),
    all("SR1", 0).and(&["SCR"]),
    all("CR3", 0x0000_8000),
    but("CR4", 0, &["VBE", "VBRS"]).unseen(&["VBE", "VBRS"]),
    all("PUCRA", 0).and(&["PUCRB", "PUCRC", "PUCRD", "PUCRE", "PUCRF", "PUCRG", "PUCRH"]),
    all("PDCRA", 0).and(&["PDCRB", "PDCRC", "PDCRD", "PDCRE", "PDCRF", "PDCRG", "PDCRH"]),
    // REGLPS: the low-power regulator is ready.
    all("SR2", 0x0000_0100),
    all("CR5", 0x0000_0100),
];

/// Thresholds of PLS.
const THRESHOLDS: [i32; 7] = [2_000, 2_200, 2_400, 2_500, 2_600, 2_800, 2_900];

const TIMINGS: &str = "DS10198, Low-power mode wakeup timings, to be checked";

const fn row(name: &'static str, what: &'static str, periods: u32) -> TimingRow {
    TimingRow::assumed(name, what, periods, TIMINGS)
}

/// Times of the regulator and of waking up, typical, in periods of 16 MHz.
pub const ROWS: &[TimingRow] = &[
    row("pwr.range", "a change of the voltage range, until VOSF falls, in periods of 16 MHz: 20 us", 320),
    row("pwr.low_power_run", "from LPR=0 until REGLPF falls, in periods of 16 MHz: 5 us", 80),
    row(
        "pwr.stop0",
        "from what wakes the part from Stop 0 mode until it runs from HSI16, in periods of 16 MHz: 4.7 us",
        75,
    ),
    row("pwr.stop1", "the same from Stop 1 mode: 6.3 us", 101),
    row("pwr.stop2", "the same from Stop 2 mode: 7.3 us", 117),
    row("pwr.stop1_low_power_run", "the same from Stop 1 mode to Low-power run mode: 10.7 us", 171),
    row("pwr.standby", "from what wakes the part from Standby mode until it is reset, with MSI at 4 MHz: 20.1 us", 322),
    row("pwr.shutdown", "the same from Shutdown mode: 256 us", 4_096),
];

fn wake_up(slept: Slept) -> &'static TimingRow {
    let row = match slept.stop {
        None => 6 + usize::from(slept.shutdown),
        Some(0 | 1) if slept.low_power_run => 5,
        Some(stop) => 2 + usize::from(stop.min(2)),
    };
    &ROWS[row]
}

/// STM32L4.
pub static LINE: Line = Line { boosts: false, ..COMMON };

/// STM32L4+.
pub static PLUS: Line = Line { boosts: true, ..COMMON };

const COMMON: Line = Line {
    model: MODEL,
    pins: 0x1F,
    ports: 8,
    stops: 3,
    regulator: Some([&ROWS[0], &ROWS[1]]),
    boosts: false,
    guards: true,
    thresholds: &THRESHOLDS,
    keeps_ram: false,
    wake_up,
    reference: Hertz::new(16_000_000),
};
