//! Timer and counter (nRF52840 PS, "TIMER — Timer/counter"): counts PCLK16M divided by a power of two, or its task COUNT.
//!
//! Tasks take effect with the edge of PCLK16M at or after them. A compare event comes when the counter has become equal to a
//! register by counting.

use crate::{Block, Clocks, Env, Instance, Instant, Modelled, Source, Span, Tree, Words, Write};

use super::signals::{Short, Signals, Tasked};

const START: u32 = 0x00;
const STOP: u32 = 0x04;
const COUNT: u32 = 0x08;
const CLEAR: u32 = 0x0C;
const SHUTDOWN: u32 = 0x10;
const CAPTURE: u32 = 0x40;
const CAPTURE_END: u32 = CAPTURE + 4 * CHANNELS as u32;
const COMPARE: u32 = 0x140;
const MODE: u32 = 0x504;
const BITMODE: u32 = 0x508;
const PRESCALER: u32 = 0x510;
const CC: u32 = 0x540;
const CC_END: u32 = CC + 4 * CHANNELS as u32;
/// Channels of the largest timer.
const CHANNELS: usize = 6;

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[];

/// COMPAREn_CLEAR and COMPAREn_STOP.
const SHORTS: &[Short] = &[
    (0, COMPARE, CLEAR),
    (1, COMPARE + 4, CLEAR),
    (2, COMPARE + 8, CLEAR),
    (3, COMPARE + 12, CLEAR),
    (4, COMPARE + 16, CLEAR),
    (5, COMPARE + 20, CLEAR),
    (8, COMPARE, STOP),
    (9, COMPARE + 4, STOP),
    (10, COMPARE + 8, STOP),
    (11, COMPARE + 12, STOP),
    (12, COMPARE + 16, STOP),
    (13, COMPARE + 20, STOP),
];

/// The block.
#[derive(Clone, Debug)]
pub struct Timer {
    signals: Signals,
    channels: u32,
    runs: bool,
    /// The counter at `since`, or while it stands.
    count: u32,
    since: Instant,
}

impl Timer {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        let channels = (0..CHANNELS as u32).take_while(|channel| has(instance, CC + 4 * channel)).count() as u32;
        Self { signals: Signals::new(instance, PARTLY, SHORTS), channels, runs: false, count: 0, since: Instant::NEVER }
    }

    /// The bits of the counter that BITMODE selects.
    fn mask(&self) -> u32 {
        [0xFFFF, 0xFF, 0xFF_FFFF, u32::MAX][(self.signals.get(BITMODE) & 3) as usize]
    }

    /// True if the counter counts by itself: MODE is Timer.
    fn counts(&self) -> bool {
        self.runs && self.signals.get(MODE) & 3 == 0
    }

    fn tick(&self, clocks: &Clocks) -> Span {
        clocks.period_of(Source::Pclk).times(1 << self.signals.get(PRESCALER).min(9))
    }

    /// The counter, and the time at which it got that value.
    fn value(&self, env: &Env<'_, '_>) -> (u32, Instant) {
        if !self.counts() {
            return (self.count & self.mask(), env.now());
        }
        let tick = self.tick(env.clocks());
        let (passed, _) = env.now().since(self.since).divide(tick);
        (self.count.wrapping_add(passed as u32) & self.mask(), self.since.after(tick.times(passed)))
    }

    /// Keeps the counter and the fraction of its tick, before a setting changes.
    fn settle(&mut self, env: &Env<'_, '_>) {
        (self.count, self.since) = self.value(env);
    }

    /// Has the compare events come.
    fn schedule(&self, env: &mut Env<'_, '_>) {
        let (tick, mask) = (self.tick(env.clocks()), self.mask());
        for channel in 0..self.channels {
            let away = self.signals.get(CC + 4 * channel).wrapping_sub(self.count);
            let (now, _) = self.value(env);
            let passed = u64::from(now.wrapping_sub(self.count) & mask);
            let whole = u64::from(mask) + 1;
            let away = u64::from(away & mask);
            // A match that has passed comes with the counter's next round.
            let away = if away > passed { away } else { away + whole };
            let fits = self.signals.get(CC + 4 * channel) & !mask == 0;
            let at = if self.counts() && fits { self.since.after(tick.times(away)) } else { Instant::NEVER };
            env.schedule(channel as u16, at);
        }
    }

    fn begin(&mut self, count: u32, env: &mut Env<'_, '_>) {
        self.count = count;
        self.since = env.clocks().edge_from(Source::Pclk, env.now());
    }

    /// The counter has become what it is: those registers that are equal make their events, before shortcuts change it.
    fn compare(&mut self, env: &mut Env<'_, '_>) {
        let count = self.count;
        for channel in 0..self.channels {
            if self.signals.get(CC + 4 * channel) == count {
                self.raise(COMPARE + 4 * channel, env);
            }
        }
    }
}

fn has(instance: &Instance, offset: u32) -> bool {
    instance.map.registers.iter().any(|register| register.offset == offset)
}

impl Tasked for Timer {
    fn signals(&mut self) -> &mut Signals {
        &mut self.signals
    }

    fn task(&mut self, task: u32, env: &mut Env<'_, '_>) {
        let (value, _) = self.value(env);
        match task {
            START if !self.runs => {
                self.runs = true;
                self.begin(value, env);
            }
            STOP | SHUTDOWN => {
                self.count = if task == STOP { value } else { 0 };
                self.runs = false;
            }
            COUNT if self.runs && !self.counts() => {
                self.count = value.wrapping_add(1) & self.mask();
                return self.compare(env);
            }
            CLEAR => self.begin(0, env),
            CAPTURE..CAPTURE_END => self.signals.bank.set(CC + task - CAPTURE, value),
            _ => {}
        }
        self.schedule(env);
    }
}

impl Block<Words> for Timer {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.signals.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if matches!(offset, MODE | BITMODE | PRESCALER) {
            self.settle(env);
        }
        if self.access(offset, write, env).is_some() {
            // The counter of a narrower mode has fewer bits at once.
            if offset == BITMODE {
                self.count &= self.mask();
            }
            if matches!(offset, MODE | BITMODE | PRESCALER | CC..CC_END) {
                self.schedule(env);
            }
        }
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        if u32::from(kind) < self.channels && self.counts() {
            self.settle(env);
            self.compare(env);
            self.schedule(env);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.signals.reset(env);
        (self.runs, self.count) = (false, 0);
        self.schedule(env);
    }

    fn refine(&mut self, times: u64) {
        self.since = self.since.refined(times);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.schedule(env);
    }

    fn bank(&self) -> Option<&crate::Bank> {
        Some(&self.signals.bank)
    }
}
