//! Real-time clock of STM32F1 (RM0008, "Real-time clock (RTC)"): a prescaler, a counter of 32 bits and an alarm over LSE, LSI
//! or HSE / 128.
//!
//! The counter follows from the time that has passed; only wanted interrupts are events. Registers of the counter are
//! written in configuration mode and arrive three periods of the RTC's clock after it ends (RTOFF). The flags rise one
//! period before the counter changes, as the manual says. The core of the clock outlives resets and Standby mode; the
//! interface (CRH, CRL) does not. The calibration and the outputs are set in the backup registers' RTCCR.

use cyclescope_machine::{GapKind, TimingRow};

use super::rtc::ticks::{Calibration, Pulses, Ticks};
use crate::bank::all;
use crate::{
    BackupDomain, Bank, Block, Clocks, Effect, Env, Instance, Instant, Lines, Modelled, Source, Tree, Words, Write,
};

const CRH: u32 = 0x00;
const CRL: u32 = 0x04;
const PRLH: u32 = 0x08;
const PRLL: u32 = 0x0C;
const DIVH: u32 = 0x10;
const DIVL: u32 = 0x14;
const CNTH: u32 = 0x18;
const CNTL: u32 = 0x1C;
const ALRH: u32 = 0x20;
const ALRL: u32 = 0x24;

/// Flags of CRL; their enables lie at the same bits of CRH.
const SECF: u32 = 1 << 0;
const ALRF: u32 = 1 << 1;
const OWF: u32 = 1 << 2;
const FLAGS: u32 = SECF | ALRF | OWF;
const RSF: u32 = 1 << 3;
const CNF: u32 = 1 << 4;
const RTOFF: u32 = 1 << 5;

/// The line of the external interrupts that alarms go to.
const ALARM_LINE: u8 = 17;

/// Events.
const DUE: u16 = 0;
const OUTPUT: u16 = 1;

/// The modelled registers, with the values after reset (RM0008, "RTC register map").
pub const MODEL: &[Modelled] = &[
    all("CRH", 0).and(&["PRLH", "DIVH", "CNTH", "CNTL"]),
    all("CRL", RTOFF),
    all("PRLL", 0x8000).and(&["DIVL"]),
    all("ALRH", 0xFFFF).and(&["ALRL"]),
];

/// Times of the interface, in periods of the RTC's clock.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "rtc.write",
        "RTC periods from the end of configuration mode until the registers have what was written (RTOFF)",
        3,
        "RM0008, Configuring RTC registers: at least three RTCCLK cycles",
    ),
    TimingRow::assumed(
        "rtc.synchronise",
        "RTC edges after reset, Stop mode or the clearing of RSF until the interface shows the counter (RSF)",
        1,
        "RM0008, Reading RTC registers: the interface is updated at edges of RTCCLK; no number is given",
    ),
];

/// The signal at PC13 (RM0008, BKP_RTCCR).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Output {
    #[default]
    Nothing,
    /// The clock divided by 64.
    Clock,
    /// A pulse of one period at each second.
    Second,
    /// A pulse of one period at the alarm.
    Alarm,
}

/// Values written in configuration mode.
#[derive(Clone, Copy, Debug, Default)]
struct Staged {
    prescaler: Option<u32>,
    counter: Option<u32>,
    alarm: Option<u32>,
}

/// The block.
#[derive(Clone, Debug)]
pub struct RtcV1 {
    bank: Bank,
    lines: Lines,
    writable: bool,
    ticks: Ticks,
    calibration: Calibration,
    /// The calibrated count at which the prescaler was loaded, and the counter then.
    loaded: u64,
    counter: u32,
    prescaler: u32,
    alarm: u32,
    /// The calibrated count up to which flags are set.
    seen: u64,
    staged: Staged,
    /// The tick at which what was staged arrives.
    arrives: u64,
    /// The tick at which RSF is set.
    synchronised: u64,
    /// Counter and divider as the interface shows them before that tick.
    shown: Option<(u64, u32, u32)>,
    output: Output,
}

impl RtcV1 {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: Bank::new(instance.map, MODEL),
            lines: Lines::new(instance, &[("WKUP", 1)]),
            writable: false,
            ticks: Ticks::default(),
            calibration: Calibration::default(),
            loaded: 0,
            counter: 0,
            prescaler: 0x8000,
            alarm: u32::MAX,
            seen: 0,
            staged: Staged::default(),
            arrives: u64::MAX,
            synchronised: u64::MAX,
            shown: None,
            output: Output::Nothing,
        }
    }

    /// The registers BKP_RTCCR's bits arrive: CAL, CCO, ASOE, ASOS.
    pub fn set_backup(&mut self, rtccr: u32, env: &mut Env<'_, '_>) {
        self.settle(env);
        let tick = self.tick(env);
        let pulses = match rtccr & 0x7F {
            0 => Pulses::All,
            pulses => Pulses::Without(pulses),
        };
        self.calibration.set(pulses, tick);
        self.output = match (rtccr >> 7 & 1, rtccr >> 8 & 3) {
            (1, _) => Output::Clock,
            (0, 1) => Output::Alarm,
            (0, 3) => Output::Second,
            _ => Output::Nothing,
        };
        self.show(env);
        self.schedule(env);
    }

    fn tick(&self, env: &Env<'_, '_>) -> u64 {
        self.ticks.now(env.always_now())
    }

    /// Calibrated periods between two counts.
    fn length(&self) -> u64 {
        u64::from(self.prescaler) + 1
    }

    /// Returns the number of times that flags of a coming count have risen by the calibrated count `at`.
    fn rises(&self, at: u64) -> u64 {
        (at - self.loaded.min(at) + 1) / self.length()
    }

    /// The calibrated count of the rise `number`, counted from 1.
    fn rise(&self, number: u64) -> u64 {
        self.loaded.saturating_add(number.saturating_mul(self.length())).saturating_sub(1)
    }

    /// The first rise after `rises` of them at which the counter is about to leave `value`.
    fn next_leaving(&self, rises: u64, value: u32) -> u64 {
        let ahead = value.wrapping_sub(self.counter).wrapping_sub(rises as u32);
        rises + 1 + u64::from(ahead)
    }

    /// The counter and the divider at `tick`.
    fn values(&self, tick: u64) -> (u32, u32) {
        if let Some((_, counter, divider)) = self.shown.filter(|(until, ..)| tick < *until) {
            return (counter, divider);
        }
        let past = self.calibration.count(tick).saturating_sub(self.loaded);
        let (counts, rest) = (past / self.length(), past % self.length());
        (self.counter.wrapping_add(counts as u32), self.prescaler - rest as u32)
    }

    /// Sets the flags that have risen up to the calibrated count `to`.
    fn raise(&mut self, to: u64, env: &mut Env<'_, '_>) {
        let (before, after) = (self.rises(self.seen.max(self.loaded)), self.rises(to));
        self.seen = to;
        if after <= before {
            return;
        }
        self.bank.flag(CRL, SECF, true);
        if self.next_leaving(before, u32::MAX) <= after {
            self.bank.flag(CRL, OWF, true);
        }
        if self.next_leaving(before, self.alarm) <= after {
            self.bank.flag(CRL, ALRF, true);
            for high in [true, false] {
                env.effect(Effect::Internal { line: ALARM_LINE, high });
            }
        }
    }

    /// Brings flags and what was written up to now.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let tick = self.tick(env);
        if tick >= self.arrives {
            let at = self.calibration.count(self.arrives);
            self.raise(at, env);
            let (counter, _) = self.values(self.arrives);
            let Staged { prescaler, counter: new, alarm } = std::mem::take(&mut self.staged);
            self.alarm = alarm.unwrap_or(self.alarm);
            if prescaler.is_some() || new.is_some() {
                // RM0008, RTC_DIV: reloaded after any change of PRL or CNT.
                self.prescaler = prescaler.unwrap_or(self.prescaler);
                (self.counter, self.loaded, self.seen) = (new.unwrap_or(counter), at, at);
            }
            self.arrives = u64::MAX;
            self.bank.flag(CRL, RTOFF, true);
        }
        self.raise(self.calibration.count(tick), env);
        if tick >= self.synchronised {
            self.synchronised = u64::MAX;
            self.bank.flag(CRL, RSF, true);
        }
        self.lines.drive(u32::from(self.bank.get(CRL) & self.bank.get(CRH) & FLAGS != 0), env);
    }

    /// The next tick at which `flags` rise, after those that were seen.
    fn next_rise(&self, flags: u32) -> u64 {
        let rises = self.rises(self.seen.max(self.loaded));
        let numbers = [rises + 1, self.next_leaving(rises, self.alarm), self.next_leaving(rises, u32::MAX)];
        let wanted = (0..).zip(numbers).filter(|(bit, _)| flags & 1 << bit != 0);
        wanted.map(|(_, number)| self.calibration.tick(self.rise(number))).min().unwrap_or(u64::MAX)
    }

    /// Has the next wanted flag come as an event. An alarm is wanted always: external interrupts and Standby mode hear it.
    fn schedule(&mut self, env: &mut Env<'_, '_>) {
        let wanted = self.bank.get(CRH) & !self.bank.get(CRL) & FLAGS | ALRF;
        let at = self.next_rise(wanted).min(self.arrives);
        let at = self.ticks.when(at);
        env.schedule_always(DUE, at);
    }

    /// Shows the level of the output now, and has the next edge come.
    fn show(&mut self, env: &mut Env<'_, '_>) {
        let tick = self.tick(env);
        let rise = |number: u64| self.calibration.tick(self.rise(number));
        let rises = self.rises(self.calibration.count(tick));
        let (high, next) = match self.output {
            Output::Nothing => (None, u64::MAX),
            Output::Clock => (Some(tick & 32 != 0), (tick | 31) + 1),
            Output::Second => {
                let high = rises > 0 && rise(rises) == tick;
                (Some(high), if high { tick + 1 } else { rise(rises + 1) })
            }
            Output::Alarm => {
                let at = rise(self.next_leaving(rises.saturating_sub(1), self.alarm));
                (Some(at == tick), if at == tick { tick + 1 } else { at })
            }
        };
        env.effect(Effect::Pad { signal: "RTC_OUT", level: high });
        let at = self.ticks.when(next);
        env.schedule_always(OUTPUT, at);
    }

    /// A write of a half of what only configuration mode takes.
    fn stage(&mut self, offset: u32, value: u32, env: &mut Env<'_, '_>) {
        let crl = self.bank.get(CRL);
        if crl & CNF == 0 || crl & RTOFF == 0 {
            env.gap(
                GapKind::Setting,
                format_args!("RTC_CNT, RTC_PRL or RTC_ALR written while CNF or RTOFF is 0: lost"),
            );
            return;
        }
        let (counter, _) = self.values(self.tick(env));
        let (place, now) = match offset {
            PRLH | PRLL => (&mut self.staged.prescaler, self.prescaler),
            CNTH | CNTL => (&mut self.staged.counter, counter),
            _ => (&mut self.staged.alarm, self.alarm),
        };
        let old = place.unwrap_or(now);
        *place = Some(match offset {
            PRLH => (value & 15) << 16 | old & 0xFFFF,
            CNTH | ALRH => value << 16 | old & 0xFFFF,
            _ => old & 0xFFFF_0000 | value & 0xFFFF,
        });
    }

    fn write_control(&mut self, write: Write, env: &mut Env<'_, '_>) {
        let old = self.bank.get(CRL);
        let mut new = old & !(write.zeros() & (FLAGS | RSF));
        if old & RSF != 0 && new & RSF == 0 {
            let edges = env.cycles(&ROWS[1]);
            self.synchronised = self.tick(env).saturating_add(edges);
        }
        if old & RTOFF != 0 {
            new = new & !CNF | write.over(old) & CNF;
        } else if (write.over(old) ^ old) & CNF != 0 {
            env.gap(GapKind::Setting, format_args!("RTC_CRL.CNF written while RTOFF is 0: lost"));
        }
        let staged = self.staged.prescaler.or(self.staged.counter).or(self.staged.alarm).is_some();
        if old & CNF != 0 && new & CNF == 0 && staged {
            new &= !RTOFF;
            let periods = env.cycles(&ROWS[0]);
            self.arrives = self.tick(env).saturating_add(periods);
        }
        self.bank.set(CRL, new);
    }
}

impl BackupDomain for RtcV1 {
    fn allow_writes(&mut self, allowed: bool) {
        self.writable = allowed;
    }

    fn reset_domain(&mut self, env: &mut Env<'_, '_>) {
        self.settle(env);
        let at = self.calibration.count(self.tick(env));
        (self.prescaler, self.counter, self.alarm) = (0x8000, 0, u32::MAX);
        (self.loaded, self.seen) = (at, at);
        self.staged = Staged::default();
        self.arrives = u64::MAX;
        self.bank.flag(CRL, RTOFF, true);
        self.schedule(env);
    }
}

impl Block<Words> for RtcV1 {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        self.settle(env);
        self.schedule(env);
        let (counter, divider) = self.values(self.tick(env));
        match offset {
            DIVH => divider >> 16,
            DIVL => divider & 0xFFFF,
            CNTH => counter >> 16,
            CNTL => counter & 0xFFFF,
            _ => self.bank.read(offset, env),
        }
    }

    fn still(&self, offset: u32, now: Instant, clocks: &Clocks) -> Option<Instant> {
        let next = match offset {
            CRL => self.next_rise(FLAGS).min(self.arrives).min(self.synchronised),
            DIVL | DIVH | CNTH | CNTL => self.ticks.now(now.after(clocks.behind())) + 1,
            _ => return self.bank.still(offset),
        };
        let at = self.ticks.when(next);
        Some(if at == Instant::NEVER { at } else { at.before(clocks.behind()).max(now) })
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if !self.writable {
            env.gap(GapKind::Setting, format_args!("RTC written while PWR_CR.DBP is 0: lost"));
            return;
        }
        self.settle(env);
        match offset {
            CRH if self.bank.get(CRL) & RTOFF == 0 => {
                env.gap(GapKind::Setting, format_args!("RTC_CRH written while RTOFF is 0: lost"));
            }
            CRL => self.write_control(write, env),
            PRLH | PRLL | CNTH | CNTL | ALRH | ALRL => self.stage(offset, write.value & write.lanes, env),
            _ => {
                self.bank.write(offset, write, env);
            }
        }
        self.settle(env);
        self.schedule(env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        self.settle(env);
        if self.output != Output::Nothing {
            self.show(env);
        }
        self.schedule(env);
    }

    /// The interface is reset; what lies in the backup domain is not (RM0008, "Resetting RTC registers").
    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.ticks.follow(env.always_now(), env.clocks().period_of(Source::Rtc));
        self.settle(env);
        self.bank.reset();
        self.writable = false;
        self.staged = Staged::default();
        self.arrives = u64::MAX;
        self.synchronised = self.tick(env).saturating_add(ROWS[1].cycles.into());
        self.shown = Some((self.synchronised, 0, 0));
        self.settle(env);
        self.schedule(env);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        let tick = self.tick(env);
        if env.clocks().stands() {
            // The interface stands with its last values until the next edge after Stop mode.
            let (counter, divider) = self.values(tick);
            self.shown = Some((u64::MAX, counter, divider));
        } else if let Some((until @ u64::MAX, ..)) = &mut self.shown {
            *until = tick.saturating_add(ROWS[1].cycles.into());
        }
        self.ticks.follow(env.always_now(), env.clocks().period_of(Source::Rtc));
        self.settle(env);
        self.schedule(env);
        if self.output != Output::Nothing {
            self.show(env);
        }
    }

    fn refine(&mut self, times: u64) {
        self.ticks.refine(times);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
