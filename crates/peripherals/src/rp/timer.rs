//! Timer (RP-008371-DS, "Timer"): 64 bits of microseconds, by the watchdog's ticks, and four alarms.

use super::registers::{bank, ones};
use crate::bank::some;
use crate::{Bank, Block, Clocks, Env, Instance, Instant, Lines, Modelled, Span, Tree, Words, Write};

const TIMEHW: u32 = 0x00;
const TIMELW: u32 = 0x04;
const TIMEHR: u32 = 0x08;
const TIMELR: u32 = 0x0C;
const ALARM0: u32 = 0x10;
const ALARM_END: u32 = 0x20;
const ARMED: u32 = 0x20;
const TIMERAWH: u32 = 0x24;
const TIMERAWL: u32 = 0x28;
const PAUSE: u32 = 0x30;
const INTR: u32 = 0x34;
const INTE: u32 = 0x38;
const INTF: u32 = 0x3C;
const INTS: u32 = 0x40;

/// The registers that are modelled in part: no debugger pauses the timer.
pub const PARTLY: &[Modelled] = &[some("DBGPAUSE", 0, &[]).unseen(&["DBG0", "DBG1"])];

/// The timer.
#[derive(Clone, Debug)]
pub struct Timer {
    bank: Bank,
    lines: Lines,
    /// The period of a tick; zero while there are none.
    tick: Span,
    /// The count at `since`, when it became that.
    count: u64,
    since: Instant,
    /// TIMELW, until TIMEHW is written; TIMEHR, since TIMELR was read.
    low: u32,
    high: u32,
}

impl Timer {
    /// The timer after power-on.
    pub fn new(instance: &Instance) -> Self {
        let signals = [("TIMER_IRQ_0", 1), ("TIMER_IRQ_1", 2), ("TIMER_IRQ_2", 4), ("TIMER_IRQ_3", 8)];
        Self {
            bank: bank(instance.map, PARTLY),
            lines: Lines::new(instance, &signals),
            tick: Span::ZERO,
            count: 0,
            since: Instant::default(),
            low: 0,
            high: 0,
        }
    }

    /// Ticks have this period from now on; zero for none.
    pub fn set_tick(&mut self, tick: Span, env: &mut Env<'_, '_>) {
        if self.tick != tick {
            self.settle(env);
            (self.tick, self.since) = (tick, env.now());
            self.plan(env);
        }
    }

    fn runs(&self) -> bool {
        self.tick != Span::ZERO && self.bank.get(PAUSE) & 1 == 0
    }

    fn at(&self, now: Instant) -> u64 {
        if self.runs() { self.count.wrapping_add(now.since(self.since).divide(self.tick).0) } else { self.count }
    }

    /// Counts up to now.
    fn settle(&mut self, env: &Env<'_, '_>) {
        let now = env.now();
        if self.runs() {
            let (ticks, rest) = now.since(self.since).divide(self.tick);
            (self.count, self.since) = (self.count.wrapping_add(ticks), now.before(rest));
        } else {
            self.since = now;
        }
    }

    /// When each armed alarm comes: it compares the lower half of the count.
    fn plan(&mut self, env: &mut Env<'_, '_>) {
        let armed = self.bank.get(ARMED);
        for alarm in 0..4u32 {
            let wanted = self.bank.get(ALARM0 + 4 * alarm);
            // One that is set to the present count comes once the count is there again.
            let ticks = match wanted.wrapping_sub(self.count as u32) {
                0 => 1 << 32,
                ticks => u64::from(ticks),
            };
            let comes = armed >> alarm & 1 != 0 && self.runs();
            let at = if comes { self.since.after(self.tick.times(ticks)) } else { Instant::NEVER };
            env.schedule(alarm as u16, at);
        }
    }

    fn status(&self) -> u32 {
        self.bank.get(INTR) & self.bank.get(INTE) | self.bank.get(INTF)
    }
}

impl Block<Words> for Timer {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        match offset {
            TIMELR => {
                let count = self.at(env.now());
                self.high = (count >> 32) as u32;
                count as u32
            }
            TIMEHR => self.high,
            TIMERAWL => self.at(env.now()) as u32,
            TIMERAWH => (self.at(env.now()) >> 32) as u32,
            INTS => self.status(),
            _ => self.bank.read(offset, env),
        }
    }

    fn still(&self, offset: u32, now: Instant, _: &Clocks) -> Option<Instant> {
        let ticks = now.since(self.since).divide(self.tick).0;
        let next = if self.runs() { self.since.after(self.tick.times(ticks + 1)) } else { Instant::NEVER };
        match offset {
            TIMELR => None,
            TIMERAWL | TIMERAWH => Some(next),
            _ => self.bank.still(offset),
        }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.settle(env);
        match offset {
            TIMELW => self.low = write.value,
            TIMEHW => {
                self.count = u64::from(write.value) << 32 | u64::from(self.low);
                self.since = env.now();
            }
            ALARM0..ALARM_END => {
                self.bank.write(offset, write, env);
                self.bank.flag(ARMED, 1 << ((offset - ALARM0) / 4), true);
            }
            ARMED | INTR => self.bank.flag(offset, ones(write), false),
            _ => {
                self.bank.write(offset, write, env);
            }
        }
        self.plan(env);
        self.lines.drive(self.status(), env);
    }

    fn event(&mut self, alarm: u16, env: &mut Env<'_, '_>) {
        self.settle(env);
        let bit = 1 << (alarm & 3);
        if self.bank.get(ARMED) & bit == 0 || self.count as u32 != self.bank.get(ALARM0 + 4 * u32::from(alarm & 3)) {
            return self.plan(env);
        }
        self.bank.flag(ARMED, bit, false);
        self.bank.flag(INTR, bit, true);
        self.lines.drive(self.status(), env);
    }

    fn before_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.settle(env);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.plan(env);
    }

    fn refine(&mut self, times: u64) {
        self.since = self.since.refined(times);
        self.tick = self.tick.times(times);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        (self.count, self.since, self.low, self.high) = (0, env.now(), 0, 0);
        self.plan(env);
        self.lines.drive(0, env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
