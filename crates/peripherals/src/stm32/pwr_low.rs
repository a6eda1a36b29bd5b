//! Power control with low-power modes that PWR_CR1.LPMS selects: STM32C0 (RM0490), G0 (RM0444), G4 (RM0440), L4 (RM0351,
//! RM0394) and L4+ (RM0432), "Power control (PWR)": voltage ranges, low-power run, Stop, Standby and Shutdown mode with wake-up
//! pins, the voltage detector on a supply that never changes, and pull resistors that hold pins in modes without power. A
//! [`Line`] has what differs. A pin that floats is low here, and so is one that is pulled down.
//!
//! Not modelled: flash without power in Low-power run and Sleep mode, the peripherals that Stop 2 mode leaves without a clock of
//! their own, SRAM2 that keeps its contents in Standby mode, and the detector on a pin.

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{GapKind, TimingRow};

use super::pwr::{DETECTOR, time};
use crate::{
    Bank, Block, Clocks, DeepSleep, Effect, Env, Instance, Instant, Modelled, PowerControl, Source, Span, Tree,
    VoltageRange, Words, Write,
};

const CR1: u32 = 0x00;
const CR2: u32 = 0x04;
const CR3: u32 = 0x08;
const CR4: u32 = 0x0C;
const SR1: u32 = 0x10;
const SR2: u32 = 0x14;
const SCR: u32 = 0x18;
const CR5: u32 = 0x80;

const LPMS: u32 = 7;
const FPD_STOP: u32 = 1 << 3;
const DBP: u32 = 1 << 8;
const VOS: u32 = 3 << 9;
/// VOS in range 1.
const RANGE_1: u32 = 1 << 9;
/// VOS in range 2.
const RANGE_2: u32 = 2 << 9;
const LPR: u32 = 1 << 14;
const PVDE: u32 = 1 << 0;
const R1MODE: u32 = 1 << 8;
const RRS: u32 = 1 << 8;
const SBF: u32 = 1 << 8;
const APC: u32 = 1 << 10;
/// EIWUL and WUFI.
const INTERNAL: u32 = 1 << 15;
const REGLPF: u32 = 1 << 9;
const VOSF: u32 = 1 << 10;
const PVDO: u32 = 1 << 11;
/// PUCRA; PDCRA follows, then those of the other ports.
const PULLS: u32 = 0x20;

/// The fastest HCLK in Low-power run mode (RM0444, RM0440, RM0351, "Low-power run mode").
const LOW_POWER_RUN: Hertz = Hertz::new(2_000_000);

/// The events: the voltage has its range, and the main regulator is back.
const RANGE_READY: u16 = 0;
const REGULATOR_READY: u16 = 1;
/// The flags of PWR_SR2 that fall with them.
const FLAGS: [u32; 2] = [VOSF, REGLPF];

/// The low-power mode that ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slept {
    /// Stop 0, 1 or 2, if the part was in one of them.
    pub stop: Option<u8>,
    /// It was in Shutdown mode.
    pub shutdown: bool,
    /// Flash had no power in Stop mode (FPD_STOP).
    pub flash_off: bool,
    /// The range of the core's voltage.
    pub range: VoltageRange,
    /// The regulator stays in low-power mode (LPR).
    pub low_power_run: bool,
}

/// The properties of a line of parts.
#[derive(Debug)]
pub struct Line {
    /// The modelled registers and fields, with the values after power-on.
    pub model: &'static [Modelled],
    /// The bits of EWUPx, WPx and WUFx.
    pub pins: u32,
    /// Ports with pull resistors of the power control.
    pub ports: u8,
    /// The values of LPMS that select a Stop mode, from 0 on.
    pub stops: u8,
    /// The regulator's times, of a line that has ranges: a change of range, and the end of Low-power run mode.
    pub regulator: Option<[&'static TimingRow; 2]>,
    /// CR5.R1MODE boosts range 1.
    pub boosts: bool,
    /// CR1.DBP guards the backup domain.
    pub guards: bool,
    /// Thresholds of the voltage detector by the field of CR2 from bit 1 on, in millivolts; the last choice is a pin.
    pub thresholds: &'static [i32],
    /// RRS keeps all RAM in Standby mode.
    pub keeps_ram: bool,
    /// The time from what wakes the part until it runs, or is reset.
    pub wake_up: fn(Slept) -> &'static TimingRow,
    /// The clock in whose periods times are given.
    pub reference: Hertz,
}

/// The block.
#[derive(Clone, Debug)]
pub struct PwrLow {
    line: &'static Line,
    bank: Bank,
    /// The levels of the wake-up pins.
    pins: u32,
    /// The level of the internal wake-up line.
    internal: bool,
    /// The mode without power that it is in.
    off: Option<DeepSleep>,
    /// When each of [`FLAGS`] will fall.
    ready_at: [Instant; 2],
    /// A clock that is too fast for Low-power run mode has been named.
    named: bool,
}

impl PwrLow {
    /// The block after power-on.
    pub fn new(instance: &Instance, line: &'static Line) -> Self {
        Self {
            line,
            bank: Bank::new(instance.map, line.model),
            pins: 0,
            internal: false,
            off: None,
            ready_at: [Instant::NEVER; 2],
            named: false,
        }
    }

    /// The range that the registers select.
    fn range(&self) -> VoltageRange {
        if self.line.regulator.is_none() {
            VoltageRange::Normal
        } else if self.bank.get(CR1) & VOS == RANGE_2 {
            VoltageRange::Low
        } else if self.line.boosts && self.bank.get(CR5) & R1MODE == 0 {
            VoltageRange::Boost
        } else {
            VoltageRange::Normal
        }
    }

    /// Pins rose or fell; those whose edge is selected set their flags.
    fn pins_changed(&mut self, changed: u32, env: &mut Env<'_, '_>) {
        let active = changed & (self.pins ^ self.bank.get(CR4)) & self.bank.get(CR3) & self.line.pins;
        if active != 0 {
            self.bank.flag(SR1, active, true);
            env.effect(Effect::WakeUp);
        }
    }

    /// Pulls pins up as PUCRx say, unless PDCRx pulls them down, while APC is set (RM0490, PWR_CR3.APC).
    fn pull(&self, env: &mut Env<'_, '_>) {
        let applied = self.bank.get(CR3) & APC != 0;
        for port in 0..self.line.ports {
            let offset = PULLS + 8 * u32::from(port);
            let up = self.bank.get(offset) & !self.bank.get(offset + 4);
            env.effect(Effect::Pulls { port, up: if applied { up as u16 } else { 0 } });
        }
    }

    /// WUFI shows the internal line while it is enabled.
    fn follow_internal(&mut self, env: &mut Env<'_, '_>) {
        let high = self.internal && self.bank.get(CR3) & INTERNAL != 0;
        self.bank.flag(SR1, INTERNAL, high);
        if high {
            env.effect(Effect::WakeUp);
        }
    }

    /// The flag `which` of PWR_SR2 rises, and falls after its time.
    fn wait(&mut self, which: u16, env: &mut Env<'_, '_>) {
        let Some(rows) = self.line.regulator else { return };
        let place = usize::from(which & 1);
        let span = time(rows[place], self.line.reference, env);
        self.ready_at[place] = env.always_now().after(span);
        self.bank.flag(SR2, FLAGS[place], true);
        env.schedule_always(which, self.ready_at[place]);
    }

    /// PWR_CR1 was written over `old`.
    fn control(&mut self, old: u32, env: &mut Env<'_, '_>) {
        let mut new = self.bank.get(CR1);
        if self.line.regulator.is_some() {
            // RM0440, PWR_CR1.VOS: 00 and 11 cannot be written.
            if ![RANGE_1, RANGE_2].contains(&(new & VOS)) {
                new = new & !VOS | old & VOS;
                self.bank.set(CR1, new);
            }
            if (old ^ new) & VOS != 0 {
                self.wait(RANGE_READY, env);
                if new & VOS == RANGE_2 {
                    env.effect(Effect::Voltage(VoltageRange::Low));
                }
            }
            match (old & LPR != 0, new & LPR != 0) {
                (false, true) => {
                    self.ready_at[1] = Instant::NEVER;
                    env.cancel(REGULATOR_READY);
                    self.bank.flag(SR2, REGLPF, true);
                }
                (true, false) => self.wait(REGULATOR_READY, env),
                _ => {}
            }
            self.check_clock(env);
        }
        if self.line.guards && (old ^ new) & DBP != 0 {
            env.effect(Effect::BackupAccess { allowed: new & DBP != 0 });
        }
    }

    /// Bits of PWR_CR5 changed: the boost counts in range 1, once that is reached.
    fn boost(&self, changed: u32, env: &mut Env<'_, '_>) {
        let reached = self.range() != VoltageRange::Low && self.bank.get(SR2) & VOSF == 0;
        if changed & R1MODE != 0 && reached {
            env.effect(Effect::Voltage(self.range()));
        }
    }

    /// Names a clock that is too fast for Low-power run mode, the first time.
    fn check_clock(&mut self, env: &mut Env<'_, '_>) {
        let hclk = env.clocks().frequency(Source::Hclk);
        let runs_low = self.line.regulator.is_some() && self.bank.get(CR1) & LPR != 0;
        if runs_low && hclk > LOW_POWER_RUN && !self.named {
            self.named = true;
            let text = format_args!("HCLK {hclk} is too fast for Low-power run mode (PWR_CR1.LPR), which allows 2 MHz");
            env.gap(GapKind::Setting, text);
        }
    }

    /// PWR_CR2 was written: the supply is compared with the threshold.
    fn detect(&mut self, env: &mut Env<'_, '_>) {
        let cr2 = self.bank.get(CR2);
        let threshold = self.line.thresholds.get((cr2 >> 1 & 7) as usize);
        if cr2 & PVDE != 0 && threshold.is_none() {
            env.gap(GapKind::Setting, format_args!("the voltage detector compares a pin (PVD_IN): taken as high"));
        }
        let low = cr2 & PVDE != 0 && threshold.is_some_and(|level| env.wires.outside.supply() / 1000 < *level);
        if low != (self.bank.get(SR2) & PVDO != 0) {
            self.bank.flag(SR2, PVDO, low);
            env.effect(Effect::Internal { line: DETECTOR, high: low });
        }
    }
}

impl PowerControl for PwrLow {
    fn deep_sleep(&self) -> DeepSleep {
        match self.bank.get(CR1) & LPMS {
            0..=2 => DeepSleep::Stop,
            3 => DeepSleep::Standby,
            _ => DeepSleep::Shutdown,
        }
    }

    fn enter(&mut self, mode: DeepSleep, env: &mut Env<'_, '_>) {
        let lpms = self.bank.get(CR1) & LPMS;
        if mode == DeepSleep::Stop {
            if lpms >= u32::from(self.line.stops) {
                env.gap(GapKind::Setting, format_args!("PWR_CR1.LPMS={lpms} is reserved: taken as Stop mode"));
            }
            return;
        }
        if mode == DeepSleep::Standby && self.bank.get(CR3) & RRS != 0 && !self.line.keeps_ram {
            env.gap(GapKind::Setting, format_args!("PWR_CR3.RRS: SRAM2 does not keep its contents in Standby mode"));
        }
        self.off = Some(mode);
        self.bank.flag(SR1, SBF, mode == DeepSleep::Standby);
        if self.bank.get(SR1) & self.line.pins != 0 {
            env.effect(Effect::WakeUp);
        }
    }

    fn keeps_ram(&self) -> bool {
        self.line.keeps_ram && self.off == Some(DeepSleep::Standby) && self.bank.get(CR3) & RRS != 0
    }

    fn wake_up_time(&self, env: &mut Env<'_, '_>) -> Span {
        let cr1 = self.bank.get(CR1);
        let low_power_run = self.line.regulator.is_some() && cr1 & LPR != 0;
        let lpms = (cr1 & LPMS) as u8;
        let stop = if lpms < self.line.stops { lpms } else { 0 };
        let row = (self.line.wake_up)(Slept {
            // RM0351, PWR_CR1.LPMS: with LPR, Stop 1 mode is entered in the place of Stop 0.
            stop: self.off.is_none().then_some(if low_power_run { stop.max(1) } else { stop }),
            shutdown: self.off == Some(DeepSleep::Shutdown),
            flash_off: cr1 & FPD_STOP != 0,
            range: self.range(),
            low_power_run,
        });
        time(row, self.line.reference, env)
    }

    fn internal(&mut self, high: bool, env: &mut Env<'_, '_>) {
        self.internal = high;
        self.follow_internal(env);
    }

    fn set_pin(&mut self, number: u8, high: bool, env: &mut Env<'_, '_>) {
        let bit = 1 << (number.saturating_sub(1) & 7);
        let old = self.pins;
        self.pins = if high { old | bit } else { old & !bit };
        self.pins_changed(old ^ self.pins, env);
    }
}

impl Block<Words> for PwrLow {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(offset, write, env);
        match offset {
            CR1 => self.control(old, env),
            CR2 => self.detect(env),
            CR3 => {
                self.follow_internal(env);
                if (old ^ new) & APC != 0 {
                    self.pull(env);
                }
            }
            CR5 => self.boost(old ^ new, env),
            PULLS.. if self.bank.get(CR3) & APC != 0 => self.pull(env),
            SR1 | SR2 => self.bank.set(offset, old),
            SCR => {
                self.bank.set(SCR, 0);
                self.bank.flag(SR1, new & (self.line.pins | SBF), false);
            }
            _ => {}
        }
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        let place = usize::from(kind & 1);
        if env.always_now() < self.ready_at[place] {
            return;
        }
        self.ready_at[place] = Instant::NEVER;
        self.bank.flag(SR2, FLAGS[place], false);
        if kind == RANGE_READY {
            env.effect(Effect::Voltage(self.range()));
        }
    }

    /// RM0490, PWR_CR3 and on, RM0440 likewise: these registers outlive the end of Standby mode, SR1 each reset but that of the
    /// supply.
    fn reset(&mut self, env: &mut Env<'_, '_>) {
        let off = self.off.take();
        let pulls = PULLS..PULLS + 8 * u32::from(self.line.ports);
        let kept: Vec<u32> = match off {
            None => vec![SR1],
            Some(DeepSleep::Shutdown) => Vec::new(),
            Some(_) => [CR3, CR4, SR1].into_iter().chain(pulls.step_by(4)).collect(),
        };
        let values: Vec<u32> = kept.iter().map(|offset| self.bank.get(*offset)).collect();
        self.bank.reset();
        for (offset, value) in kept.iter().zip(values) {
            self.bank.set(*offset, value);
        }
        self.ready_at = [Instant::NEVER; 2];
        env.cancel(RANGE_READY);
        env.cancel(REGULATOR_READY);
        self.pull(env);
        if self.line.regulator.is_some() {
            env.effect(Effect::Voltage(self.range()));
        }
        if self.line.guards {
            env.effect(Effect::BackupAccess { allowed: false });
        }
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        for (kind, at) in (0..).zip(self.ready_at) {
            env.schedule_always(kind, at);
        }
        self.check_clock(env);
    }

    fn refine(&mut self, times: u64) {
        self.ready_at = self.ready_at.map(|at| at.refined(times));
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
