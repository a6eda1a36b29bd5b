//! The two timers that the ESP8266 and the ESP32 have alike (`timer_register.h` of ESP8266_RTOS_SDK, `frc_timer_reg.h` of esp-idf;
//! no manual describes them): FRC1 counts 23 bits down, FRC2 counts 32 bits up to an alarm. Both count the APB's clock, of 80 MHz,
//! divided by 1, 16 or 256.

use cyclescope_machine::TimingRow;

use super::Message;
use super::registers::bank;
use crate::bank::some;
use crate::{Bank, Block, Clocks, Env, Instance, Instant, Lines, Modelled, Source, Span, Tree, Words, Write};

/// The bytes of a timer's registers.
const TIMER: u32 = 0x20;
const LOAD: u32 = 0x00;
const COUNT: u32 = 0x04;
const CTRL: u32 = 0x08;
const INT: u32 = 0x0C;
const ALARM: u32 = 0x10;

/// Bits of CTRL.
const LEVEL: u32 = 1 << 0;
const RELOAD: u32 = 1 << 6;
const ENABLE: u32 = 1 << 7;
const PENDING: u32 = 1 << 8;

/// The bit of FRC1 in DPORT's EDGE_INT_ENABLE.
const FRC1_PASSES: u32 = 1 << 1;

/// The event at which an interrupt of the type "edge" is over, behind those of the two alarms.
const FALL: u16 = 2;

/// Bits of the counters.
const WIDTHS: [u32; 2] = [23, 32];

/// The registers.
pub const MODEL: &[Modelled] = &[
    some("FRC1_LOAD", 0, &["FRC1_LOAD_VALUE"]),
    some("FRC1_COUNT", 0, &["FRC1_COUNT"]),
    some("FRC1_CTRL", 0, &["INTERRUPT_TYPE", "PRESCALE_DIVIDER", "ROLLOVER", "TIMER_ENABLE", "FRC1_INT"]),
    some("FRC1_INT", 0, &["FRC1_INT_CLR_MASK"]),
    some("FRC2_LOAD", 0, &["FRC2_LOAD_VALUE"]),
    some("FRC2_COUNT", 0, &["FRC2_COUNT"]),
    some("FRC2_CTRL", 0, &["INTERRUPT_TYPE", "PRESCALE_DIVIDER", "ROLLOVER", "TIMER_ENABLE", "FRC2_INT"]),
    some("FRC2_INT", 0, &["FRC2_INT_CLR_MASK"]),
    some("FRC2_ALARM", 0, &["FRC2_ALARM"]),
];

/// The times that no manual gives.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "frc.reload",
        "counts of FRC1 from 0 to the loaded value",
        0,
        "no manual describes the timer: a load of n makes a period of n counts here",
    ),
    TimingRow::assumed(
        "frc.edge",
        "periods of the APB's clock for which an interrupt of the type edge is high",
        1,
        "no manual describes the timer; the core keeps the edge",
    ),
];

/// One counter.
#[derive(Clone, Copy, Debug, Default)]
struct Counter {
    /// The count at `since`, when it became that.
    count: u32,
    since: Instant,
}

/// The block.
#[derive(Clone, Debug)]
pub struct Frc {
    bank: Bank,
    counters: [Counter; 2],
    /// DPORT passes the interrupt of FRC1 on, which the ESP32 always does.
    passes: bool,
    is_esp32: bool,
    falls_at: [Instant; 2],
    lines: [Lines; 2],
}

impl Frc {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        let is_esp32 = instance.map.version == "esp32";
        Self {
            bank: bank(instance.map, MODEL),
            counters: [Counter::default(); 2],
            passes: is_esp32,
            is_esp32,
            falls_at: [Instant::NEVER; 2],
            lines: ["FRC1", "FRC2"].map(|signal| Lines::new(instance, &[(signal, 1)])),
        }
    }

    /// Takes `message` if it is for the timers. Tells whether nobody else needs it.
    pub fn take(&mut self, message: Message, env: &mut Env<'_, '_>) -> bool {
        if let Message::Edges { enabled } = message {
            self.passes = self.is_esp32 || enabled & FRC1_PASSES != 0;
            self.drive(env);
        }
        false
    }

    fn get(&self, timer: usize, register: u32) -> u32 {
        self.bank.get(timer as u32 * TIMER + register)
    }

    fn runs(&self, timer: usize) -> bool {
        self.get(timer, CTRL) & ENABLE != 0
    }

    fn mask(timer: usize) -> u32 {
        u32::MAX >> (32 - WIDTHS[timer])
    }

    /// The period of a count.
    fn step(&self, timer: usize, clocks: &Clocks) -> Span {
        let divider = [1, 16, 256, 256][(self.get(timer, CTRL) >> 2 & 3) as usize];
        clocks.period_of(Source::Pclk).times(divider)
    }

    /// The counts of a period of FRC1 that reloads itself.
    fn period(&self, timer: usize) -> u64 {
        let row = u64::from(ROWS[0].cycles);
        (u64::from(self.get(timer, LOAD) & Self::mask(timer)) + row).max(1)
    }

    /// The counts from the present one to the next alarm.
    fn left(&self, timer: usize) -> u64 {
        let count = self.counters[timer].count;
        match timer {
            0 if count == 0 => 1 << WIDTHS[0],
            0 => count.into(),
            // An alarm at the present count comes once the count is there again.
            _ => match self.get(timer, ALARM).wrapping_sub(count) {
                0 => 1 << 32,
                left => left.into(),
            },
        }
    }

    /// The count `counts` behind the present one, before any reload.
    fn moved(&self, timer: usize, counts: u64) -> u32 {
        let count = self.counters[timer].count;
        let moved = if timer == 0 { count.wrapping_sub(counts as u32) } else { count.wrapping_add(counts as u32) };
        moved & Self::mask(timer)
    }

    /// The counter's value at `now`. Events bring it up to each alarm.
    fn at(&self, timer: usize, now: Instant, clocks: &Clocks) -> u32 {
        let counts = now.since(self.counters[timer].since).divide(self.step(timer, clocks)).0;
        if self.runs(timer) { self.moved(timer, counts) } else { self.counters[timer].count }
    }

    /// Counts up to now.
    fn settle(&mut self, env: &Env<'_, '_>) {
        let now = env.now();
        for timer in 0..2 {
            let (counts, rest) = now.since(self.counters[timer].since).divide(self.step(timer, env.clocks()));
            self.counters[timer] = if self.runs(timer) {
                Counter { count: self.moved(timer, counts), since: now.before(rest) }
            } else {
                Counter { count: self.counters[timer].count, since: now }
            };
        }
    }

    fn plan(&self, env: &mut Env<'_, '_>) {
        for timer in 0..2 {
            let step = self.step(timer, env.clocks());
            let runs = self.runs(timer) && step != Span::ZERO;
            let at = if runs { self.counters[timer].since.after(step.times(self.left(timer))) } else { Instant::NEVER };
            env.schedule(timer as u16, at);
        }
        env.schedule(FALL, self.falls_at[0].min(self.falls_at[1]));
    }

    fn drive(&self, env: &mut Env<'_, '_>) {
        for timer in 0..2 {
            let control = self.get(timer, CTRL);
            let high =
                if control & LEVEL != 0 { control & PENDING != 0 } else { self.falls_at[timer] != Instant::NEVER };
            let passes = timer == 1 || self.passes;
            self.lines[timer].drive((high && passes).into(), env);
        }
    }

    /// `timer` has come to its alarm.
    fn alarm(&mut self, timer: usize, env: &mut Env<'_, '_>) {
        let control = timer as u32 * TIMER + CTRL;
        self.bank.flag(control, PENDING, true);
        if self.bank.get(control) & LEVEL == 0 {
            let periods = env.cycles(&ROWS[1]);
            self.falls_at[timer] = env.now().after(env.clocks().period_of(Source::Pclk).times(periods));
        }
        if self.bank.get(control) & RELOAD != 0 {
            env.wires.note(&ROWS[0]);
            self.counters[timer].count =
                if timer == 0 { (self.period(timer) as u32) & Self::mask(0) } else { self.get(timer, LOAD) };
        }
    }
}

impl Block<Words> for Frc {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let timer = (offset / TIMER).min(1) as usize;
        if offset % TIMER == COUNT && offset < 2 * TIMER {
            return self.at(timer, env.now(), env.clocks());
        }
        self.bank.read(offset, env)
    }

    fn still(&self, offset: u32, now: Instant, clocks: &Clocks) -> Option<Instant> {
        if offset % TIMER != COUNT || offset >= 2 * TIMER {
            return self.bank.still(offset);
        }
        let timer = (offset / TIMER).min(1) as usize;
        let (since, step) = (self.counters[timer].since, self.step(timer, clocks));
        if !self.runs(timer) || step == Span::ZERO {
            return Some(Instant::NEVER);
        }
        Some(since.after(step.times(now.since(since).divide(step).0 + 1)))
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.settle(env);
        let timer = (offset / TIMER).min(1) as usize;
        match offset % TIMER {
            COUNT => {}
            INT => {
                // Any write of the register clears the flag, that of 0 too: so the SDKs' and Arduino's handlers do.
                self.bank.flag(timer as u32 * TIMER + CTRL, PENDING, false);
            }
            register => {
                let pending = self.get(timer, CTRL) & PENDING;
                self.bank.write(offset, write, env);
                if register == CTRL {
                    self.bank.flag(offset, PENDING, pending != 0);
                }
                if register == LOAD {
                    self.counters[timer].count = self.get(timer, LOAD) & Self::mask(timer);
                    self.counters[timer].since = env.now();
                }
            }
        }
        self.plan(env);
        self.drive(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        if kind == FALL {
            let now = env.now();
            for falls_at in &mut self.falls_at {
                if *falls_at <= now {
                    *falls_at = Instant::NEVER;
                }
            }
        } else {
            let timer = usize::from(kind & 1);
            let due = self.counters[timer].since.after(self.step(timer, env.clocks()).times(self.left(timer)));
            self.settle(env);
            if self.runs(timer) && env.now() >= due {
                self.alarm(timer, env);
            }
        }
        self.plan(env);
        self.drive(env);
    }

    fn before_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.settle(env);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.plan(env);
    }

    fn refine(&mut self, times: u64) {
        for counter in &mut self.counters {
            counter.since = counter.since.refined(times);
        }
        self.falls_at = self.falls_at.map(|at| at.refined(times));
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.counters = [Counter { count: 0, since: env.now() }; 2];
        self.falls_at = [Instant::NEVER; 2];
        self.passes = self.is_esp32;
        self.plan(env);
        self.drive(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
