//! Power control of STM32F1 (RM0008, "Power control (PWR)"): the key to the backup domain, Stop and Standby mode with the
//! wake-up pin, and the voltage detector on a supply that never changes.

use cyclescope_machine::TimingRow;
use cyclescope_machine::units::Hertz;

use super::pwr::{CSBF, CWUF, DBP, DETECTOR, LPDS, PDDS, PVDO, SBF, WUF, is_low, time};
use crate::bank::all;
use crate::{
    Bank, Block, Clocks, DeepSleep, Effect, Env, Instance, Instant, Modelled, PowerControl, Span, Words, Write,
};

const CR: u32 = 0x00;
const CSR: u32 = 0x04;
const EWUP: u32 = 1 << 8;

/// The modelled registers and fields (RM0008, "PWR register map").
pub const MODEL: &[Modelled] = &[all("CR", 0), all("CSR", 0)];

/// Thresholds of the voltage detector, in millivolts (DS5319, Embedded reset and power control block characteristics).
const THRESHOLDS: [i32; 8] = [2_180, 2_280, 2_380, 2_480, 2_580, 2_680, 2_780, 2_880];

const REFERENCE: Hertz = Hertz::new(8_000_000);

/// Wake-up times, in periods of 8 MHz.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "pwr.stop",
        "from what wakes the part from Stop mode with the regulator on until it runs from HSI, in periods of 8 MHz",
        29,
        "3.6 us, typical tWUSTOP (DS5319, Low-power mode wakeup timings)",
    ),
    TimingRow::documented(
        "pwr.stop_low_power",
        "the same with the regulator in low-power mode (LPDS), in periods of 8 MHz",
        43,
        "5.4 us, typical tWUSTOP (DS5319, Low-power mode wakeup timings)",
    ),
    TimingRow::documented(
        "pwr.standby",
        "from what wakes the part from Standby mode until it is reset, in periods of 8 MHz",
        400,
        "50 us, typical tWUSTDBY (DS5319, Low-power mode wakeup timings)",
    ),
];

/// The block.
#[derive(Clone, Debug)]
pub struct PwrF1 {
    bank: Bank,
    /// The level of the wake-up pin.
    pin: bool,
    /// In Standby mode, so that what follows is its end.
    standby: bool,
}

impl PwrF1 {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: Bank::new(instance.map, MODEL), pin: false, standby: false }
    }

    fn wake(&mut self, env: &mut Env<'_, '_>) {
        self.bank.flag(CSR, WUF, true);
        env.effect(Effect::WakeUp);
    }
}

impl PowerControl for PwrF1 {
    fn deep_sleep(&self) -> DeepSleep {
        if self.bank.get(CR) & PDDS != 0 { DeepSleep::Standby } else { DeepSleep::Stop }
    }

    fn enter(&mut self, mode: DeepSleep, env: &mut Env<'_, '_>) {
        if mode == DeepSleep::Standby {
            self.standby = true;
            self.bank.flag(CSR, SBF, true);
            if self.bank.get(CSR) & WUF != 0 {
                // RM0008, "Standby mode": WUF must be clear; a flag that is set wakes at once.
                env.effect(Effect::WakeUp);
            }
        }
    }

    fn wake_up_time(&self, env: &mut Env<'_, '_>) -> Span {
        let row = if self.standby { 2 } else { usize::from(self.bank.get(CR) & LPDS != 0) };
        time(&ROWS[row], REFERENCE, env)
    }

    fn internal(&mut self, high: bool, env: &mut Env<'_, '_>) {
        if high {
            self.wake(env);
        }
    }

    fn set_pin(&mut self, _: u8, high: bool, env: &mut Env<'_, '_>) {
        let rose = high && !self.pin;
        self.pin = high;
        if rose && self.bank.get(CSR) & EWUP != 0 {
            self.wake(env);
        }
    }
}

impl Block<Words> for PwrF1 {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(offset, write, env);
        match offset {
            CR => {
                let cleared = if new & CWUF != 0 { WUF } else { 0 } | if new & CSBF != 0 { SBF } else { 0 };
                self.bank.flag(CSR, cleared, false);
                self.bank.set(CR, new & !(CWUF | CSBF));
                if (old ^ new) & DBP != 0 {
                    env.effect(Effect::BackupAccess { allowed: new & DBP != 0 });
                }
                let low = is_low(new, &THRESHOLDS, env);
                if low != (self.bank.get(CSR) & PVDO != 0) {
                    self.bank.flag(CSR, PVDO, low);
                    env.effect(Effect::Internal { line: DETECTOR, high: low });
                }
            }
            CSR => {
                self.bank.set(CSR, (old & !EWUP) | (new & EWUP));
                // RM0008, PWR_CSR.WUF: a pin that is high when it is enabled is an event.
                if !old & new & EWUP != 0 && self.pin {
                    self.wake(env);
                }
            }
            _ => {}
        }
    }

    /// RM0008, PWR_CSR: SBF outlives each reset, WUF and EWUP the end of Standby mode.
    fn reset(&mut self, env: &mut Env<'_, '_>) {
        let kept = if std::mem::take(&mut self.standby) { SBF | WUF | EWUP } else { SBF };
        let csr = self.bank.get(CSR) & kept;
        self.bank.reset();
        self.bank.set(CSR, csr);
        env.effect(Effect::BackupAccess { allowed: false });
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
