//! Random number generator (nRF52840 PS, "RNG — Random number generator"), whose numbers come from a fixed seed.
//!
//! The noise is a generator of Marsaglia 2003 (xorshift64), whose state outlives resets. A byte always takes the typical time.

use cyclescope_machine::TimingRow;

use crate::{Bank, Block, Clocks, Env, Instance, Instant, Modelled, Span, Tree, Words, Write};

use super::signals::{Short, Signals, Tasked};

const START: u32 = 0x00;
const STOP: u32 = 0x04;
const VALRDY: u32 = 0x100;
const CONFIG: u32 = 0x504;
const VALUE: u32 = 0x508;

/// VALRDY_STOP.
const SHORTS: &[Short] = &[(0, VALRDY, STOP)];

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[];

/// The times of numbers, in microseconds.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "rng.start",
        "microseconds from START to the begin of the first byte",
        128,
        "nRF52840 PS v1.7, RNG, Electrical specification: tRNG,START, typical; \
         the figure is from memory and was not read in the document",
    ),
    TimingRow::assumed(
        "rng.raw",
        "microseconds of a byte without bias correction",
        30,
        "nRF52840 PS v1.7, RNG, Electrical specification: tRNG,RAW, typical; \
         the figure is from memory and was not read in the document",
    ),
    TimingRow::assumed(
        "rng.corrected",
        "microseconds of a byte with bias correction",
        120,
        "nRF52840 PS v1.7, RNG, Electrical specification: tRNG,BC, typical; \
         the figure is from memory and was not read in the document",
    ),
];

/// The block.
#[derive(Clone, Debug)]
pub struct Rng {
    signals: Signals,
    noise: u64,
    ready_at: Instant,
}

impl Rng {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        let noise = 0x9E37_79B9_7F4A_7C15;
        Self { signals: Signals::new(instance, PARTLY, SHORTS), noise, ready_at: Instant::NEVER }
    }

    fn byte(&mut self) -> u32 {
        self.noise ^= self.noise << 13;
        self.noise ^= self.noise >> 7;
        self.noise ^= self.noise << 17;
        self.noise as u32 & 0xFF
    }

    /// The next byte comes `delay` and its own time from `from` on.
    fn expect(&mut self, from: Instant, delay: Span, env: &mut Env<'_, '_>) {
        let count = env.cycles(&ROWS[if self.signals.get(CONFIG) & 1 != 0 { 2 } else { 1 }]);
        self.ready_at = from.after(delay).after(env.clocks().microseconds(count));
        env.schedule(0, self.ready_at);
    }
}

impl Tasked for Rng {
    fn signals(&mut self) -> &mut Signals {
        &mut self.signals
    }

    fn task(&mut self, task: u32, env: &mut Env<'_, '_>) {
        if task == START && self.ready_at == Instant::NEVER {
            let count = env.cycles(&ROWS[0]);
            let start = env.clocks().microseconds(count);
            self.expect(env.now(), start, env);
        } else if task == STOP {
            self.ready_at = Instant::NEVER;
            env.cancel(0);
        }
    }
}

impl Block<Words> for Rng {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.signals.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.access(offset, write, env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        if env.now() < self.ready_at {
            return;
        }
        let byte = self.byte();
        self.signals.bank.set(VALUE, byte);
        self.expect(self.ready_at, Span::ZERO, env);
        self.raise(VALRDY, env);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        env.schedule(0, self.ready_at);
    }

    fn refine(&mut self, times: u64) {
        self.ready_at = self.ready_at.refined(times);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.signals.reset(env);
        self.ready_at = Instant::NEVER;
        env.cancel(0);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.signals.bank)
    }
}
