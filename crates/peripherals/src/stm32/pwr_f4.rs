//! Power control of STM32F446 (RM0390, "Power controller (PWR)"): over-drive, voltage scaling, the key to the backup
//! domain, Stop and Standby mode with two wake-up pins, and the voltage detector on a supply that never changes. The
//! backup regulator, and flash stopped by software (FMSSR, FISSR), are stored without effect.

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{GapKind, TimingRow};

use super::pwr::{CSBF, CWUF, DBP, DETECTOR, LPDS, PDDS, PVDO, SBF, WUF, is_low, time};
use crate::bank::but;
use crate::{
    Bank, Block, Clocks, DeepSleep, Effect, Env, Instance, Instant, Modelled, PowerControl, Source, Span, Tree, Words,
    Write,
};

const CR: u32 = 0x00;
const CSR: u32 = 0x04;

const FPDS: u32 = 1 << 9;
/// LPUDS and MRUDS, as the manual calls them.
const LPUDS: u32 = 1 << 10;
const MRUDS: u32 = 1 << 11;
const UDEN: u32 = 3 << 18;
/// EWUP2 and EWUP1, and the pins that they enable, from the lowest bit.
const EWUP: [u32; 2] = [1 << 8, 1 << 7];
const ODEN: u32 = 1 << 16;
const ODSWEN: u32 = 1 << 17;
const VOSRDY: u32 = 1 << 14;
const ODRDY: u32 = 1 << 16;
const ODSWRDY: u32 = 1 << 17;
/// Flags in CSR that no write changes.
const FLAGS_READ: u32 = 0xF | VOSRDY | ODRDY | ODSWRDY;
/// Thresholds of the voltage detector, in millivolts (DS10693, Embedded reset and power control block characteristics).
const THRESHOLDS: [i32; 8] = [2_140, 2_300, 2_450, 2_600, 2_760, 2_930, 3_030, 3_140];
const REFERENCE: Hertz = Hertz::new(16_000_000);

/// The modelled registers and fields, with the values after reset (RM0390, "PWR register map").
pub const MODEL: &[Modelled] =
    &[but("CR", 0x0000_C000, &["ADCDC1", "FMSSR", "FISSR"]), but("CSR", 0, &["BRE", "UDRDY"])];

/// The times of the regulator, in periods of 16 MHz.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "pwr.over_drive_ready",
        "over-drive from ODEN to ODRDY, in periods of 16 MHz",
        720,
        "45 us, as the switch takes (DS10693, Over-drive switching characteristics); RM0390 gives no figure",
    ),
    TimingRow::assumed(
        "pwr.over_drive_switch",
        "over-drive from ODSWEN to ODSWRDY, in periods of 16 MHz",
        720,
        "45 us with HSI (DS10693, Over-drive switching characteristics, to be checked); the core stalls on silicon",
    ),
    TimingRow::assumed(
        "pwr.voltage_ready",
        "voltage scaling from PLLON to VOSRDY, in periods of 16 MHz",
        640,
        "40 us; RM0390 gives no figure",
    ),
    TimingRow::documented(
        "pwr.stop",
        "from what wakes the part from Stop mode with the main regulator on until it runs from HSI, in periods of 16 MHz",
        207,
        "DS10693, Low-power mode wakeup timings: 12.9 us typical",
    ),
    TimingRow::documented(
        "pwr.stop_flash_off",
        "the same with flash in deep power-down (FPDS), in periods of 16 MHz",
        1_679,
        "DS10693, Low-power mode wakeup timings: 104.9 us typical",
    ),
    TimingRow::documented(
        "pwr.stop_low_power",
        "the same with the low-power regulator (LPDS), in periods of 16 MHz",
        333,
        "DS10693, Low-power mode wakeup timings: 20.8 us typical",
    ),
    TimingRow::documented(
        "pwr.stop_low_power_flash_off",
        "the same with the low-power regulator and flash in deep power-down (LPDS, FPDS), in periods of 16 MHz",
        1_807,
        "DS10693, Low-power mode wakeup timings: 112.9 us typical",
    ),
    TimingRow::assumed(
        "pwr.stop_under_drive",
        "the same in under-drive mode (UDEN with LPUDS or MRUDS), in periods of 16 MHz",
        1_824,
        "about 114 us typical with the low-power regulator (DS10693, Low-power mode wakeup timings); taken for the main one too",
    ),
    TimingRow::assumed(
        "pwr.standby",
        "from what wakes the part from Standby mode until it is reset, in periods of 16 MHz",
        5_200,
        "325 us typical (DS10693, Low-power mode wakeup timings, to be checked)",
    ),
];

/// The flags in CSR that the events set, by event number.
const FLAGS: [u32; 3] = [ODRDY, ODSWRDY, VOSRDY];

/// The block.
#[derive(Clone, Debug)]
pub struct PwrF4 {
    bank: Bank,
    /// When each of [`FLAGS`] will be set.
    ready_at: [Instant; 3],
    /// The levels of the wake-up pins.
    pins: [bool; 2],
    /// In Standby mode, so that what follows is its end.
    standby: bool,
}

impl PwrF4 {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: Bank::new(instance.map, MODEL), ready_at: [Instant::NEVER; 3], pins: [false; 2], standby: false }
    }

    /// The main PLL was switched on or off: the scale in VOS holds only while it is on (RM0390, PWR_CR.VOS).
    pub fn pll_switched(&mut self, on: bool, env: &mut Env<'_, '_>) {
        self.follow(2, on, env);
    }

    /// Sets the flag `which` after its time, or clears it at once.
    fn follow(&mut self, which: usize, on: bool, env: &mut Env<'_, '_>) {
        let is = self.bank.get(CSR) & FLAGS[which] != 0;
        if !on {
            self.ready_at[which] = Instant::NEVER;
            self.bank.flag(CSR, FLAGS[which], false);
        } else if !is && self.ready_at[which] == Instant::NEVER {
            let period = env.clocks().period(REFERENCE);
            self.ready_at[which] = env.always_now().after(period.times(u64::from(ROWS[which].cycles)));
        }
        env.schedule_always(which as u16, self.ready_at[which]);
    }

    fn wake(&mut self, env: &mut Env<'_, '_>) {
        self.bank.flag(CSR, WUF, true);
        env.effect(Effect::WakeUp);
    }

    /// The fastest HCLK for the scale and over-drive in force (DS10693, General operating conditions; RM0390, PWR_CR).
    fn fastest(&self) -> Hertz {
        let over = self.bank.get(CSR) & ODSWRDY != 0;
        Hertz::new(match (self.bank.get(CR) >> 14 & 3, over) {
            (3, true) => 180_000_000,
            (2, true) | (3, false) => 168_000_000,
            (2, false) => 144_000_000,
            _ => 120_000_000,
        })
    }

    fn check_speed(&self, env: &mut Env<'_, '_>) {
        let (hclk, most) = (env.clocks().frequency(Source::Hclk), self.fastest());
        if hclk > most {
            env.gap(GapKind::Setting, format_args!("HCLK {hclk} is too fast for PWR_CR.VOS and over-drive: {most}"));
        }
    }
}

impl PowerControl for PwrF4 {
    fn deep_sleep(&self) -> DeepSleep {
        if self.bank.get(CR) & PDDS != 0 { DeepSleep::Standby } else { DeepSleep::Stop }
    }

    fn enter(&mut self, mode: DeepSleep, env: &mut Env<'_, '_>) {
        // RM0390, "Over-drive mode": it ends with Stop mode's beginning.
        let cr = self.bank.get(CR) & !(ODEN | ODSWEN);
        self.bank.set(CR, cr);
        self.follow(0, false, env);
        self.follow(1, false, env);
        if mode == DeepSleep::Standby {
            self.standby = true;
            self.bank.flag(CSR, SBF, true);
            if self.bank.get(CSR) & WUF != 0 {
                env.effect(Effect::WakeUp);
            }
        }
    }

    fn wake_up_time(&self, env: &mut Env<'_, '_>) -> Span {
        let cr = self.bank.get(CR);
        let low_power = cr & LPDS != 0;
        let under_drive = cr & UDEN == UDEN && cr & if low_power { LPUDS } else { MRUDS } != 0;
        let row = match (self.standby, under_drive) {
            (true, _) => 8,
            (false, true) => 7,
            _ => 3 + 2 * usize::from(low_power) + usize::from(cr & FPDS != 0),
        };
        time(&ROWS[row], REFERENCE, env)
    }

    fn internal(&mut self, high: bool, env: &mut Env<'_, '_>) {
        if high {
            self.wake(env);
        }
    }

    fn set_pin(&mut self, number: u8, high: bool, env: &mut Env<'_, '_>) {
        let which = usize::from(number.saturating_sub(1) & 1);
        let rose = high && !self.pins[which];
        self.pins[which] = high;
        if rose && self.bank.get(CSR) & EWUP[which] != 0 {
            self.wake(env);
        }
    }
}

impl Block<Words> for PwrF4 {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(offset, write, env);
        if offset == CSR {
            self.bank.set(CSR, (old & FLAGS_READ) | (new & !FLAGS_READ));
            // RM0390, PWR_CSR.WUF: a pin that is high when it is enabled is an event.
            if EWUP.iter().zip(self.pins).any(|(enable, high)| high && !old & new & enable != 0) {
                self.wake(env);
            }
            return;
        }
        let cleared = if new & CWUF != 0 { WUF } else { 0 } | if new & CSBF != 0 { SBF } else { 0 };
        self.bank.flag(CSR, cleared, false);
        self.bank.set(CR, new & !(CWUF | CSBF));
        let low = is_low(new, &THRESHOLDS, env);
        if low != (self.bank.get(CSR) & PVDO != 0) {
            self.bank.flag(CSR, PVDO, low);
            env.effect(Effect::Internal { line: DETECTOR, high: low });
        }
        if (old ^ new) & DBP != 0 {
            env.effect(Effect::BackupAccess { allowed: new & DBP != 0 });
        }
        self.follow(0, new & ODEN != 0, env);
        // RM0390, PWR_CR.ODSWEN: the switch follows once over-drive is ready.
        self.follow(1, new & (ODEN | ODSWEN) == ODEN | ODSWEN && self.bank.get(CSR) & ODRDY != 0, env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        let which = usize::from(kind);
        let Some(flag) = FLAGS.get(which).filter(|_| env.always_now() >= self.ready_at[which]) else { return };
        self.ready_at[which] = Instant::NEVER;
        self.bank.flag(CSR, *flag, true);
        if which == 0 {
            self.follow(1, self.bank.get(CR) & ODSWEN != 0, env);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        // RM0390, PWR_CSR: SBF outlives each reset, WUF and EWUP the end of Standby mode.
        let kept = if std::mem::take(&mut self.standby) { SBF | WUF | EWUP[0] | EWUP[1] } else { SBF };
        let csr = self.bank.get(CSR) & kept;
        self.bank.reset();
        self.bank.set(CSR, csr);
        self.ready_at = [Instant::NEVER; 3];
        for kind in 0..3 {
            env.cancel(kind);
        }
        env.effect(Effect::BackupAccess { allowed: false });
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        for (kind, at) in (0..).zip(self.ready_at) {
            env.schedule_always(kind, at);
        }
        self.check_speed(env);
    }

    fn refine(&mut self, times: u64) {
        self.ready_at = self.ready_at.map(|at| at.refined(times));
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
