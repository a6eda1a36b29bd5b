//! Pulse width modulation (RP-008371-DS, "PWM"): eight slices, each a counter with two outputs, the second of which may be an input
//! that gates or paces the counter.
//!
//! Nothing counts: a slice is brought up to date when somebody looks, and its outputs are clocks at pins. It has an event only at a
//! wrap that somebody waits for, by an interrupt, by a value that is latched there or by a DMA channel that hears `WRAPn`, and at
//! edges whose times are no whole numbers of units. A fractional divider is exact: the n-th tick comes at the first cycle that is not
//! before n times the divisor.

use cyclescope_machine::TimingRow;

use super::registers::{bank, ones};
use crate::wires::Square;
use crate::{
    AlternateFunction, Bank, Block, Clocks, Effect, Env, Instance, Instant, Lines, Modelled, Request, Source, Span,
    Tree, Words, Write,
};

/// Registers of a slice, and their distance.
const CSR: u32 = 0x00;
const DIV: u32 = 0x04;
const CTR: u32 = 0x08;
const CC: u32 = 0x0C;
const TOP: u32 = 0x10;
const SLICE: u32 = 0x14;
const SLICES_END: u32 = EN;
/// Registers of all slices.
const EN: u32 = 0xA0;
const INTR: u32 = 0xA4;
const INTE: u32 = 0xA8;
const INTF: u32 = 0xAC;
const INTS: u32 = 0xB0;

/// CSR.
const ENABLED: u32 = 1 << 0;
const PH_CORRECT: u32 = 1 << 1;
const A_INV: u32 = 1 << 2;
const B_INV: u32 = 1 << 3;
const PH_RET: u32 = 1 << 6;
const PH_ADV: u32 = 1 << 7;

/// CSR.DIVMODE.
const FREE: u32 = 0;
const LEVEL: u32 = 1;
const RISE: u32 = 2;

/// Parts of a cycle that a divisor counts.
const PARTS: i64 = 16;

const SLICES: usize = 8;
const A: [&str; SLICES] = ["A0", "A1", "A2", "A3", "A4", "A5", "A6", "A7"];
const B: [&str; SLICES] = ["B0", "B1", "B2", "B3", "B4", "B5", "B6", "B7"];
const WRAPS: [&str; SLICES] = ["WRAP0", "WRAP1", "WRAP2", "WRAP3", "WRAP4", "WRAP5", "WRAP6", "WRAP7"];

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[];

/// The time of an input's way.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "pwm.input",
    "cycles of the system's clock from an edge at a slice's input to its counter",
    0,
    "RP-008371-DS gives no figure; an input is sampled by the system's clock",
)];

/// A counter.
#[derive(Clone, Copy, Debug)]
struct Slice {
    /// The state is that of this time.
    since: Instant,
    /// The place in the period: the counter, or with PH_CORRECT twice as many, down as well as up.
    place: u64,
    /// The parts of cycles since the last tick.
    parts: i64,
    /// The values in use; the registers hold those to be latched at the next wrap.
    top: u64,
    compare: [u64; 2],
    /// The level of input B.
    input: bool,
}

impl Slice {
    const RESET: Self = Self { since: Instant::NEVER, place: 0, parts: 0, top: 0xFFFF, compare: [0; 2], input: false };

    /// The ticks of a period.
    fn period(&self, both_ways: bool) -> u64 {
        (self.top + 1) << u32::from(both_ways)
    }

    /// The ticks to the next wrap. A counter beyond its top goes on to the end of its sixteen bits.
    fn ticks_left(&self, both_ways: bool) -> u64 {
        let period = self.period(both_ways);
        if self.place < period { period - self.place } else { 0x1_0000u64.saturating_sub(self.place).max(1) }
    }

    /// The value of the counter.
    fn counter(&self, both_ways: bool) -> u64 {
        let up = self.top + 1;
        if both_ways && self.place >= up && self.place < 2 * up { 2 * up - 1 - self.place } else { self.place }
    }
}

/// An output over a period: where it rises, and for how many ticks it is high.
#[derive(Clone, Copy, Debug)]
struct Shape {
    rises: u64,
    high: u64,
    period: u64,
}

/// The block.
#[derive(Clone, Debug)]
pub struct Pwm {
    bank: Bank,
    lines: Lines,
    pins: &'static [AlternateFunction],
    requests: &'static [Request],
    slices: [Slice; SLICES],
    /// When outputs without a course of their own have their next edge, by slice.
    edges: [Instant; SLICES],
    /// The slices that have wrapped and of which nobody has been told yet, one bit each.
    wrapped: u32,
}

const fn register(slice: usize, register: u32) -> u32 {
    slice as u32 * SLICE + register
}

impl Pwm {
    /// The block after reset.
    pub fn new(instance: &'static Instance) -> Self {
        Self {
            bank: bank(instance.map, PARTLY),
            lines: Lines::new(instance, &[("PWM_IRQ_WRAP", u32::MAX)]),
            pins: instance.pins,
            requests: instance.requests,
            slices: [Slice::RESET; SLICES],
            edges: [Instant::NEVER; SLICES],
            wrapped: 0,
        }
    }

    fn csr(&self, slice: usize) -> u32 {
        self.bank.get(register(slice, CSR))
    }

    fn both_ways(&self, slice: usize) -> bool {
        self.csr(slice) & PH_CORRECT != 0
    }

    fn mode(&self, slice: usize) -> u32 {
        self.csr(slice) >> 4 & 3
    }

    /// The divisor in parts of a cycle; an integer part of 0 is 256.
    fn divisor(&self, slice: usize) -> i64 {
        let div = i64::from(self.bank.get(register(slice, DIV)));
        if div < PARTS { div + 256 * PARTS } else { div }
    }

    /// True while cycles make the slice's divider go on.
    fn runs(&self, slice: usize) -> bool {
        let mode = self.mode(slice);
        self.csr(slice) & ENABLED != 0 && (mode == FREE || mode == LEVEL && self.slices[slice].input)
    }

    /// The values in the registers come into use.
    fn latch(&mut self, slice: usize) {
        let (cc, top) = (self.bank.get(register(slice, CC)), self.bank.get(register(slice, TOP)));
        let known = &mut self.slices[slice];
        known.top = top.into();
        known.compare = [u64::from(cc & 0xFFFF), u64::from(cc >> 16)];
    }

    /// True if a value waits for a wrap.
    fn is_pending(&self, slice: usize) -> bool {
        let (cc, known) = (self.bank.get(register(slice, CC)), &self.slices[slice]);
        let compare = [u64::from(cc & 0xFFFF), u64::from(cc >> 16)];
        known.compare != compare || known.top != u64::from(self.bank.get(register(slice, TOP)))
    }

    /// The counter goes on by `ticks`.
    fn count(&mut self, slice: usize, ticks: u64) {
        let both_ways = self.both_ways(slice);
        let left = self.slices[slice].ticks_left(both_ways);
        if ticks < left {
            self.slices[slice].place += ticks;
            return;
        }
        self.latch(slice);
        self.bank.flag(INTR, 1 << slice, true);
        self.wrapped |= 1 << slice;
        let known = &mut self.slices[slice];
        known.place = (ticks - left) % known.period(both_ways);
    }

    /// The divider goes on by `events`, of which each has 16 parts.
    fn divide(&mut self, slice: usize, events: u64) {
        let divisor = self.divisor(slice);
        let parts = i128::from(self.slices[slice].parts) + i128::from(events) * i128::from(PARTS);
        let ticks = parts.div_euclid(divisor.into()).max(0);
        self.slices[slice].parts = (parts - ticks * i128::from(divisor)) as i64;
        self.count(slice, ticks as u64);
    }

    /// The slice becomes that of now.
    fn advance(&mut self, slice: usize, env: &Env<'_, '_>) {
        let (now, cycle) = (env.now(), env.clocks().period_of(Source::Hclk));
        let since = std::mem::replace(&mut self.slices[slice].since, now);
        if self.runs(slice) && since != Instant::NEVER {
            self.divide(slice, now.since(since).divide(cycle).0);
        }
    }

    fn advance_all(&mut self, env: &Env<'_, '_>) {
        (0..SLICES).for_each(|slice| self.advance(slice, env));
    }

    /// The parts of cycles up to the slice's tick that is `ticks` away.
    fn parts_to(&self, slice: usize, ticks: u64) -> u64 {
        let parts = i128::from(ticks) * i128::from(self.divisor(slice)) - i128::from(self.slices[slice].parts);
        u64::try_from(parts.max(0)).unwrap_or(u64::MAX)
    }

    /// The time of that tick, at a whole cycle.
    fn tick_at(&self, slice: usize, ticks: u64, clocks: &Clocks) -> Instant {
        let cycles = self.parts_to(slice, ticks).div_ceil(PARTS as u64);
        self.slices[slice].since.after(clocks.period_of(Source::Hclk).times(cycles))
    }

    /// The time of the next wrap, while the slice runs.
    fn wraps_at(&self, slice: usize, clocks: &Clocks) -> Option<Instant> {
        let ticks = self.slices[slice].ticks_left(self.both_ways(slice));
        self.runs(slice).then(|| self.tick_at(slice, ticks, clocks))
    }

    /// The course of the output `output` of the slice; `Err` where it has one level.
    fn shape(&self, slice: usize, output: usize) -> Result<Shape, bool> {
        let (known, both_ways) = (&self.slices[slice], self.both_ways(slice));
        let inverted = self.csr(slice) & [A_INV, B_INV][output] != 0;
        let compare = known.compare[output];
        if !self.runs(slice) || known.place >= known.period(both_ways) {
            return Err((known.counter(both_ways) < compare) != inverted);
        }
        if compare == 0 || compare > known.top {
            return Err((compare != 0) != inverted);
        }
        let period = known.period(both_ways);
        let (rises, high) = if both_ways { (period - compare, 2 * compare) } else { (0, compare) };
        Ok(if inverted {
            Shape { rises: (rises + high) % period, high: period - high, period }
        } else {
            Shape { rises, high, period }
        })
    }

    /// The level that the output has now.
    fn level(&self, slice: usize, output: usize) -> bool {
        match self.shape(slice, output) {
            Err(level) => level,
            Ok(Shape { rises, high, period }) => (self.slices[slice].place + period - rises) % period < high,
        }
    }

    /// Puts the output on its signal; returns the time at which this is to be done again, if it has no course of its own.
    fn show(&self, slice: usize, output: usize, env: &mut Env<'_, '_>) -> Option<Instant> {
        let signal = [A, B][output][slice];
        let level = self.output(signal);
        env.end_square(signal);
        env.effect(Effect::Output { signal, level });
        let Shape { rises, high, period } = self.shape(slice, output).ok().filter(|_| level.is_some())?;
        let behind = (self.slices[slice].place + period - rises) % period;
        let (divisor, cycle) = (self.divisor(slice) as u64, env.clocks().period_of(Source::Hclk));
        // Whole units alone make a clock that stays exact.
        let whole = |parts: u64| {
            let span = cycle.times(parts);
            let part = span.divide_by(PARTS as u64);
            (part.times(PARTS as u64) == span).then_some(part)
        };
        let ticks = if behind < high { high - behind } else { period - behind };
        let next = self.slices[slice].since.after(whole(self.parts_to(slice, ticks)).unwrap_or(Span::ZERO));
        let spans = [high, period - high].map(|ticks| whole(ticks * divisor));
        let exact = whole(self.parts_to(slice, ticks)).and(spans[0].zip(spans[1]));
        let begin = exact.map(|(high, _)| if level == Some(true) { next.before(high) } else { next });
        // A clock does not begin before time does.
        let fits = exact.is_some_and(|(high, _)| level != Some(true) || next.since(Instant::default()) >= high);
        match exact.zip(begin).filter(|_| fits) {
            Some(((high, low), start)) => {
                env.square(Square { signal, start, steps: [high, low] });
                None
            }
            None => Some(self.tick_at(slice, ticks, env.clocks())),
        }
    }

    /// The outputs, and the event that comes next.
    fn settle(&mut self, slice: usize, env: &mut Env<'_, '_>) {
        let edges = [0, 1].map(|output| self.show(slice, output, env).unwrap_or(Instant::NEVER));
        self.edges[slice] = edges[0].min(edges[1]);
        self.schedule(slice, env);
    }

    fn settle_all(&mut self, env: &mut Env<'_, '_>) {
        (0..SLICES).for_each(|slice| self.settle(slice, env));
    }

    fn schedule(&self, slice: usize, env: &mut Env<'_, '_>) {
        let awaited = self.awaited(slice, env).unwrap_or(Instant::NEVER);
        env.schedule(slice as u16, self.edges[slice].min(awaited));
    }

    /// The time of the next wrap, if somebody waits for it.
    fn awaited(&self, slice: usize, env: &Env<'_, '_>) -> Option<Instant> {
        let asks = self.bank.get(INTE) & !self.bank.get(INTR) & 1 << slice != 0;
        let awaited = asks || self.is_pending(slice) || env.is_heard(WRAPS[slice]);
        self.wraps_at(slice, env.clocks()).filter(|_| awaited)
    }

    /// Tells those who hear of wraps, and drives the interrupt.
    fn interrupt(&mut self, env: &mut Env<'_, '_>) {
        let wrapped = std::mem::take(&mut self.wrapped);
        for (slice, signal) in WRAPS.into_iter().enumerate().filter(|(slice, _)| wrapped & 1 << slice != 0) {
            if env.is_heard(signal) {
                env.pulse(signal);
                if let Some(request) = self.requests.iter().find(|request| request.signal == WRAPS[slice]) {
                    env.effect(Effect::RequestOnce { number: request.number });
                }
            }
        }
        let status = self.bank.get(INTR) & self.bank.get(INTE) | self.bank.get(INTF);
        self.bank.set(INTS, status);
        self.lines.drive(status, env);
    }

    /// The slice's control register was written.
    fn control(&mut self, slice: usize, old: u32, env: &Env<'_, '_>) {
        let new = self.csr(slice);
        self.bank.flag(register(slice, CSR), PH_ADV | PH_RET, false);
        if (old ^ new) & PH_CORRECT != 0 {
            // The counter goes on upwards from where it is.
            self.slices[slice].place = self.slices[slice].counter(old & PH_CORRECT != 0);
        }
        if old & !new & ENABLED != 0 {
            self.latch(slice);
        }
        self.bank.flag(EN, 1 << slice, new & ENABLED != 0);
        self.slices[slice].input = env.line(B[slice]).unwrap_or(self.slices[slice].input);
        if new & ENABLED != 0 && self.divisor(slice) > PARTS && new & PH_ADV != 0 {
            self.count(slice, 1);
        }
        if new & ENABLED != 0 && new & PH_RET != 0 {
            self.slices[slice].parts -= self.divisor(slice);
        }
    }

    /// The slice whose input the pin of number `index` is.
    fn input_of(&self, index: usize) -> Option<usize> {
        let wired = self.pins.get(index)?;
        B.iter().position(|signal| *signal == wired.signal)
    }

    /// The level that the block has seen at its signal `index`.
    pub fn seen(&self, index: usize) -> Option<bool> {
        self.input_of(index).map(|slice| self.slices[slice].input)
    }
}

impl Block<Words> for Pwm {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        match offset {
            0..SLICES_END if offset % SLICE == CTR => {
                let slice = (offset / SLICE) as usize;
                self.advance(slice, env);
                let counter = self.slices[slice].counter(self.both_ways(slice));
                self.bank.set(offset, counter as u32);
            }
            INTR | INTS => {
                self.advance_all(env);
                self.interrupt(env);
            }
            _ => {}
        }
        self.bank.read(offset, env)
    }

    fn still(&self, offset: u32, now: Instant, clocks: &Clocks) -> Option<Instant> {
        match offset {
            0..SLICES_END if offset % SLICE == CTR => None,
            INTR | INTS => {
                let wraps = (0..SLICES).filter(|slice| self.bank.get(INTR) & 1 << slice == 0);
                let coming = wraps.filter_map(|slice| self.wraps_at(slice, clocks)).filter(|at| *at > now);
                Some(coming.min().unwrap_or(Instant::NEVER))
            }
            _ => self.bank.still(offset),
        }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.advance_all(env);
        match offset {
            0..SLICES_END => {
                let slice = (offset / SLICE) as usize;
                let (old, new) = self.bank.write(offset, write, env);
                match offset % SLICE {
                    CSR => self.control(slice, old, env),
                    DIV => self.slices[slice].parts = 0,
                    CTR => self.slices[slice].place = new.into(),
                    // A counter that stands takes them at once.
                    _ if self.csr(slice) & ENABLED == 0 => self.latch(slice),
                    _ => {}
                }
                self.settle(slice, env);
            }
            EN => {
                let (_, new) = self.bank.write(EN, write, env);
                for slice in 0..SLICES {
                    let old = self.csr(slice);
                    self.bank.flag(register(slice, CSR), ENABLED, new >> slice & 1 != 0);
                    if old != self.csr(slice) {
                        self.control(slice, old, env);
                        self.settle(slice, env);
                    }
                }
            }
            INTR => self.bank.flag(INTR, ones(write), false),
            _ => {
                self.bank.write(offset, write, env);
            }
        }
        if offset > EN {
            (0..SLICES).for_each(|slice| self.schedule(slice, env));
        }
        self.interrupt(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        let slice = usize::from(kind) % SLICES;
        let latches = self.is_pending(slice);
        self.advance(slice, env);
        if latches || env.now() >= self.edges[slice] {
            self.settle(slice, env);
        } else {
            self.schedule(slice, env);
        }
        self.interrupt(env);
    }

    fn heard(&mut self, env: &mut Env<'_, '_>) {
        self.advance_all(env);
        (0..SLICES).for_each(|slice| self.schedule(slice, env));
    }

    fn hears(&self, index: usize) -> bool {
        self.input_of(index).is_some_and(|slice| self.csr(slice) & ENABLED != 0 && self.mode(slice) != FREE)
    }

    fn input(&mut self, index: usize, high: bool, env: &mut Env<'_, '_>) {
        let Some(slice) = self.input_of(index) else { return };
        self.advance(slice, env);
        let before = std::mem::replace(&mut self.slices[slice].input, high);
        let mode = self.mode(slice);
        if before == high || mode == FREE || self.csr(slice) & ENABLED == 0 {
            return;
        }
        env.cycles(&ROWS[0]);
        if mode != LEVEL && high == (mode == RISE) {
            self.divide(slice, 1);
        }
        self.settle(slice, env);
        self.interrupt(env);
    }

    fn before_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.advance_all(env);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.settle_all(env);
    }

    fn refine(&mut self, times: u64) {
        self.slices.iter_mut().for_each(|slice| slice.since = slice.since.refined(times));
        self.edges = self.edges.map(|at| at.refined(times));
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.slices = [Slice { since: env.now(), ..Slice::RESET }; SLICES];
        self.settle_all(env);
        self.interrupt(env);
    }

    /// The level now; of a course, that at the last time somebody looked.
    fn output(&self, signal: &str) -> Option<bool> {
        if let Some(slice) = A.iter().position(|known| *known == signal) {
            return Some(self.level(slice, 0));
        }
        // An input is not driven.
        let slice = B.iter().position(|known| *known == signal)?;
        (self.mode(slice) == FREE).then(|| self.level(slice, 1))
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
