//! Power control of STM32G0 (RM0444, RM0454, "Power control (PWR)"): a line of [`super::pwr_low`] with two voltage ranges, Stop 0
//! and 1, Standby and Shutdown mode and six wake-up pins.

use cyclescope_machine::TimingRow;
use cyclescope_machine::units::Hertz;

use super::pwr_low::{Line, Slept};
use crate::Modelled;
use crate::bank::{all, but};

/// The modelled registers and fields, with the values after power-on (RM0444, "PWR register map").
pub const MODEL: &[Modelled] = &[
    but("CR1", 0x0000_0208, &["FPD_LPRUN", "FPD_LPSLP"]),
    all("CR2", 0).and(&["SR1", "SCR"]),
    but("CR3", 0x0000_8000, &["ULPEN"]).unseen(&["ULPEN"]),
    but("CR4", 0, &["VBE", "VBRS"]).unseen(&["VBE", "VBRS"]),
    all("PUCRA", 0).and(&["PUCRB", "PUCRC", "PUCRD", "PUCRE", "PUCRF"]),
    all("PDCRA", 0).and(&["PDCRB", "PDCRC", "PDCRD", "PDCRE", "PDCRF"]),
    // FLASH_RDY and REGLPS: flash has power whenever the program runs, and the low-power regulator is ready.
    all("SR2", 0x0000_0180),
];

/// Thresholds of PVDFT: a falling supply.
const THRESHOLDS: [i32; 7] = [2_000, 2_200, 2_500, 2_600, 2_700, 2_800, 2_900];

const TIMINGS: &str = "DS12232, Low-power mode wakeup times, to be checked";

const fn row(name: &'static str, what: &'static str, periods: u32) -> TimingRow {
    TimingRow::assumed(name, what, periods, TIMINGS)
}

/// Times of the regulator and of waking up, typical, in periods of 16 MHz.
pub const ROWS: &[TimingRow] = &[
    row("pwr.range", "a change of the voltage range, until VOSF falls, in periods of 16 MHz: 20 us", 320),
    row("pwr.low_power_run", "from LPR=0 until REGLPF falls, in periods of 16 MHz: 5 us", 80),
    row("pwr.stop0", "from what wakes the part from Stop 0 mode until it runs, in periods of 16 MHz: 2 us", 32),
    row("pwr.stop0_flash_off", "the same with flash without power (FPD_STOP): 5.6 us", 90),
    row("pwr.stop1", "the same from Stop 1 mode: 5 us", 80),
    row("pwr.stop1_flash_off", "the same with flash without power (FPD_STOP): 9 us", 144),
    row("pwr.stop1_low_power_run", "the same to Low-power run mode: 18 us", 288),
    row("pwr.stop1_low_power_run_flash_off", "the same with flash without power (FPD_STOP): 22 us", 352),
    row("pwr.standby", "from what wakes the part from Standby mode until it is reset: 14.5 us", 232),
    row("pwr.shutdown", "the same from Shutdown mode: 258 us", 4_128),
];

fn wake_up(slept: Slept) -> &'static TimingRow {
    let row = match slept.stop {
        None => 8 + usize::from(slept.shutdown),
        Some(_) if slept.low_power_run => 6 + usize::from(slept.flash_off),
        Some(stop) => 2 + 2 * usize::from(stop.min(1)) + usize::from(slept.flash_off),
    };
    &ROWS[row]
}

/// The line.
pub static LINE: Line = Line {
    model: MODEL,
    pins: 0x3F,
    ports: 6,
    stops: 2,
    regulator: Some([&ROWS[0], &ROWS[1]]),
    boosts: false,
    guards: true,
    thresholds: &THRESHOLDS,
    keeps_ram: true,
    wake_up,
    reference: Hertz::new(16_000_000),
};
