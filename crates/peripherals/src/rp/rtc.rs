//! Real-time clock (RP-008371-DS, "RTC"): a calendar over clk_rtc, and one alarm.
//!
//! The calendar is brought up to date when somebody looks; only an armed alarm has an event a second. A year is a leap year if four
//! divides it, unless FORCE_NOTLEAPYEAR says otherwise.

use cyclescope_machine::TimingRow;

use super::registers::bank;
use crate::{Bank, Block, Clocks, Env, Instance, Instant, Lines, Modelled, Source, Span, Tree, Words, Write};

const CLKDIV_M1: u32 = 0x00;
const SETUP_0: u32 = 0x04;
const SETUP_1: u32 = 0x08;
const CTRL: u32 = 0x0C;
const IRQ_SETUP_0: u32 = 0x10;
const IRQ_SETUP_1: u32 = 0x14;
const RTC_1: u32 = 0x18;
const RTC_0: u32 = 0x1C;
const INTR: u32 = 0x20;
const INTE: u32 = 0x24;
const INTF: u32 = 0x28;
const INTS: u32 = 0x2C;

/// CTRL.
const RTC_ENABLE: u32 = 1 << 0;
const RTC_ACTIVE: u32 = 1 << 1;
const LOAD: u32 = 1 << 4;
const FORCE_NOTLEAPYEAR: u32 = 1 << 8;

/// IRQ_SETUP_0.
const MATCH_ENA: u32 = 1 << 28;
const MATCH_ACTIVE: u32 = 1 << 29;

/// The fields of the alarm: the register (`true` for IRQ_SETUP_0 and RTC_1), the bits, and the bit that enables the comparison.
const FIELDS: [(bool, u32, u32); 7] = [
    (true, 0x1F, 1 << 24),
    (true, 0xF << 8, 1 << 25),
    (true, 0xFFF << 12, 1 << 26),
    (false, 0x3F, 1 << 28),
    (false, 0x3F << 8, 1 << 29),
    (false, 0x1F << 16, 1 << 30),
    (false, 7 << 24, 1 << 31),
];

/// The events: settings have passed to the domain of clk_rtc, and a second of an armed alarm is over.
const PASSED: u16 = 0;
const SECOND: u16 = 1;

/// The most days that pass unseen.
const MOST_DAYS: u64 = 1 << 22;

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[];

/// The time of settings on their way.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "rtc.synchroniser",
    "periods of clk_rtc until a setting is active",
    2,
    "RP-008371-DS has RTC_ACTIVE and MATCH_ACTIVE to poll, since the other domain takes its time, and gives no figure",
)];

/// A moment of the calendar.
#[derive(Clone, Copy, Debug, Default)]
struct Moment {
    year: u32,
    month: u32,
    day: u32,
    weekday: u32,
    /// Of the day.
    second: u32,
    minute: u32,
    hour: u32,
}

impl Moment {
    /// That of RTC_1 or SETUP_0, and RTC_0 or SETUP_1.
    const fn of(date: u32, time: u32) -> Self {
        Self {
            year: date >> 12 & 0xFFF,
            month: date >> 8 & 0xF,
            day: date & 0x1F,
            weekday: time >> 24 & 7,
            second: time & 0x3F,
            minute: time >> 8 & 0x3F,
            hour: time >> 16 & 0x1F,
        }
    }

    const fn date(&self) -> u32 {
        self.year << 12 | self.month << 8 | self.day
    }

    const fn time(&self) -> u32 {
        self.weekday << 24 | self.hour << 16 | self.minute << 8 | self.second
    }

    const fn days(&self, leaps: bool) -> u32 {
        match self.month {
            2 if leaps && self.year.is_multiple_of(4) => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        }
    }

    fn next_day(&mut self, leaps: bool) {
        self.weekday = if self.weekday >= 6 { 0 } else { self.weekday + 1 };
        if self.day < self.days(leaps) {
            self.day += 1;
            return;
        }
        self.day = 1;
        if self.month < 12 {
            self.month += 1;
            return;
        }
        self.month = 1;
        self.year = (self.year + 1) & 0xFFF;
    }

    /// `seconds` later.
    fn later(&mut self, seconds: u64, leaps: bool) {
        let carry = |value: &mut u32, by: u64, most: u64| {
            let sum = u64::from(*value).min(most - 1) + by;
            *value = (sum % most) as u32;
            sum / most
        };
        let minutes = carry(&mut self.second, seconds, 60);
        let hours = if minutes > 0 { carry(&mut self.minute, minutes, 60) } else { 0 };
        let days = if hours > 0 { carry(&mut self.hour, hours, 24) } else { 0 };
        (0..days.min(MOST_DAYS)).for_each(|_| self.next_day(leaps));
    }
}

/// The block.
#[derive(Clone, Debug)]
pub struct Rtc {
    bank: Bank,
    lines: Lines,
    moment: Moment,
    /// When the present second began, while the clock runs.
    since: Instant,
    /// When settings are active.
    passes: Instant,
}

impl Rtc {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: bank(instance.map, PARTLY),
            lines: Lines::new(instance, &[("RTC_IRQ", 1)]),
            moment: Moment::default(),
            since: Instant::NEVER,
            passes: Instant::NEVER,
        }
    }

    fn second(&self, clocks: &Clocks) -> Span {
        clocks.period_of(Source::Rtc).times(u64::from(self.bank.get(CLKDIV_M1)) + 1)
    }

    fn runs(&self) -> bool {
        self.bank.get(CTRL) & RTC_ACTIVE != 0
    }

    /// The calendar becomes that of now.
    fn advance(&mut self, env: &Env<'_, '_>) {
        let second = self.second(env.clocks());
        if !self.runs() || second == Span::ZERO || self.since == Instant::NEVER {
            return;
        }
        let (seconds, rest) = env.now().since(self.since).divide(second);
        self.since = env.now().before(rest);
        self.moment.later(seconds, self.bank.get(CTRL) & FORCE_NOTLEAPYEAR == 0);
    }

    /// The flag of the alarm, its interrupt and the next event.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let alarm = [self.bank.get(IRQ_SETUP_1), self.bank.get(IRQ_SETUP_0)];
        let now = [self.moment.time(), self.moment.date()];
        let is_equal = |(is_date, bits, enable): &(bool, u32, u32)| {
            let index = usize::from(*is_date);
            alarm[index] & enable == 0 || (alarm[index] ^ now[index]) & bits == 0
        };
        let armed = alarm[1] & MATCH_ACTIVE != 0;
        self.bank.set(INTR, u32::from(armed && FIELDS.iter().all(is_equal)));
        let status = self.bank.get(INTR) & self.bank.get(INTE) | self.bank.get(INTF);
        self.bank.set(INTS, status);
        self.lines.drive(status, env);
        let second = self.second(env.clocks());
        let ticks = armed && self.runs() && second != Span::ZERO;
        env.schedule(SECOND, if ticks { self.since.after(second) } else { Instant::NEVER });
        env.schedule(PASSED, self.passes);
    }

    /// Settings have changed that the other domain takes over.
    fn pass(&mut self, env: &mut Env<'_, '_>) {
        let [ctrl, alarm] = [CTRL, IRQ_SETUP_0].map(|offset| self.bank.get(offset));
        let differs = (ctrl & RTC_ENABLE != 0) != (ctrl & RTC_ACTIVE != 0)
            || (alarm & MATCH_ENA != 0) != (alarm & MATCH_ACTIVE != 0);
        let period = env.clocks().period_of(Source::Rtc);
        let wait = period.times(env.cycles(&ROWS[0]));
        // What is on its way already is not held up by a write of the same.
        self.passes = match differs && period != Span::ZERO {
            true => self.passes.min(env.now().after(wait)),
            false => Instant::NEVER,
        };
    }
}

impl Block<Words> for Rtc {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset == RTC_0 {
            // The date stays that of the time that was read.
            self.advance(env);
            self.bank.set(RTC_0, self.moment.time());
            self.bank.set(RTC_1, self.moment.date());
        }
        self.bank.read(offset, env)
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if offset == RTC_0 { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.advance(env);
        let (old, new) = self.bank.write(offset, write, env);
        match offset {
            CTRL => {
                self.bank.set(CTRL, new & !(LOAD | RTC_ACTIVE) | old & RTC_ACTIVE);
                if new & LOAD != 0 {
                    self.moment = Moment::of(self.bank.get(SETUP_0), self.bank.get(SETUP_1));
                }
                self.pass(env);
            }
            IRQ_SETUP_0 => {
                self.bank.set(IRQ_SETUP_0, new & !MATCH_ACTIVE | old & MATCH_ACTIVE);
                self.pass(env);
            }
            _ => {}
        }
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        self.advance(env);
        if kind == PASSED && env.now() >= self.passes {
            self.passes = Instant::NEVER;
            let (enabled, ran) = (self.bank.get(CTRL) & RTC_ENABLE != 0, self.runs());
            self.bank.flag(CTRL, RTC_ACTIVE, enabled);
            self.bank.flag(IRQ_SETUP_0, MATCH_ACTIVE, self.bank.get(IRQ_SETUP_0) & MATCH_ENA != 0);
            if enabled && !ran {
                self.since = env.now();
            }
        }
        self.settle(env);
    }

    fn before_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.advance(env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        let (before, after, now) = (old.rtc, env.clocks().period_of(Source::Rtc), env.now());
        if before != after {
            // What has passed of a second is a number of the clock's periods.
            if self.since != Instant::NEVER && after != Span::ZERO {
                self.since = now.before(now.since(self.since).rescaled(before, after));
            }
            self.pass(env);
        }
        self.settle(env);
    }

    fn refine(&mut self, times: u64) {
        (self.since, self.passes) = (self.since.refined(times), self.passes.refined(times));
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.moment = Moment::default();
        (self.since, self.passes) = (Instant::NEVER, Instant::NEVER);
        self.settle(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
