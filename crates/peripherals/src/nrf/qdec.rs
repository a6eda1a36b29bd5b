//! Quadrature decoder (nRF52840 PS, "QDEC — Quadrature decoder"): samples two phases, counts their steps, and lights a LED before.
//!
//! A sample is one event. The debounce filter, which looks each microsecond, is worked out from the edges between samples.

use cyclescope_machine::Pin;

use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Modelled, Span, Tree, Words, Write};

use super::select::connected;
use super::signals::{Short, Signals, Tasked};

const START: u32 = 0x00;
const STOP: u32 = 0x04;
const READCLRACC: u32 = 0x08;
const RDCLRACC: u32 = 0x0C;
const RDCLRDBL: u32 = 0x10;
const SAMPLERDY: u32 = 0x100;
const REPORTRDY: u32 = 0x104;
const ACCOF: u32 = 0x108;
const DBLRDY: u32 = 0x10C;
const STOPPED: u32 = 0x110;
const ENABLE: u32 = 0x500;
const LEDPOL: u32 = 0x504;
const SAMPLEPER: u32 = 0x508;
const SAMPLE: u32 = 0x50C;
const REPORTPER: u32 = 0x510;
const ACC: u32 = 0x514;
const ACCREAD: u32 = 0x518;
const PSEL_LED: u32 = 0x51C;
const PSEL_A: u32 = 0x520;
const DBFEN: u32 = 0x528;
const LEDPRE: u32 = 0x540;
const ACCDBL: u32 = 0x544;
const ACCDBLREAD: u32 = 0x548;

const SHORTS: &[Short] = &[
    (0, REPORTRDY, READCLRACC),
    (1, SAMPLERDY, STOP),
    (2, REPORTRDY, RDCLRACC),
    (3, REPORTRDY, STOP),
    (4, DBLRDY, RDCLRDBL),
    (5, DBLRDY, STOP),
    (6, SAMPLERDY, READCLRACC),
];

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[];

/// The shortest sample period, in microseconds, and the longest as a power of two of it.
const SHORTEST: u64 = 128;
const LONGEST: u32 = 10;
/// Samples between reports, by REPORTPER; values that the manual does not have count as the last.
const REPORTS: [u32; 9] = [10, 40, 80, 120, 160, 200, 240, 280, 1];
/// The bounds of ACC and ACCDBL.
const ACCUMULATED: std::ops::Range<i32> = -1024..1024;
const DOUBLES: u32 = 15;
/// SAMPLE of two steps at once.
const DOUBLE: i32 = 2;

/// The events: a sample, the LED is switched on.
const SAMPLED: u16 = 0;
const LIGHT: u16 = 1;

/// The debounce filter of one phase.
#[derive(Clone, Copy, Debug, Default)]
struct Filter {
    /// The level that has passed.
    passed: bool,
    /// The pin's level, and since when.
    level: bool,
    since: Instant,
    /// The low and the high level have been there when the filter looked in this sample period.
    looked: [bool; 2],
}

impl Filter {
    /// The pin has `level` from `now` on; the filter looks whenever a `tick` has passed since `start`.
    fn edge(&mut self, level: bool, start: Instant, tick: Span, now: Instant) {
        let ticks = |at: Instant| at.since(start).divide(tick).0;
        if ticks(now) > ticks(self.since) {
            self.looked[usize::from(self.level)] = true;
        }
        (self.level, self.since) = (level, now);
    }

    /// A sample period ends: a level that was always there passes.
    fn sample(&mut self) -> bool {
        let looked = std::mem::take(&mut self.looked);
        if !looked[usize::from(!self.level)] {
            self.passed = self.level;
        }
        self.passed
    }
}

/// The block.
#[derive(Clone, Debug)]
pub struct Qdec {
    signals: Signals,
    /// The phases of the last sample, once there was one.
    previous: Option<(bool, bool)>,
    filters: [Filter; 2],
    /// When the sample period began; the next sample, while the decoder runs.
    start: Instant,
    sample_at: Instant,
    light_at: Instant,
    /// Samples since the last report was due.
    samples: u32,
    /// The LED's pin and level.
    shown: Option<(Pin, bool)>,
}

impl Qdec {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self {
            signals: Signals::new(instance, PARTLY, SHORTS),
            previous: None,
            filters: Default::default(),
            start: Instant::NEVER,
            sample_at: Instant::NEVER,
            light_at: Instant::NEVER,
            samples: 0,
            shown: None,
        }
    }

    fn runs(&self) -> bool {
        self.sample_at != Instant::NEVER
    }

    fn filters(&self) -> bool {
        self.signals.get(DBFEN) & 1 != 0
    }

    /// The phases, 0 for A, whose pin is `pin`.
    fn phases(&self, pin: Pin) -> impl Iterator<Item = usize> {
        (0..2usize).filter(move |phase| connected(self.signals.get(PSEL_A + 4 * *phase as u32)) == Some(pin))
    }

    /// True if the debounce filter looks at `pin`.
    pub fn listens(&self, pin: Pin) -> bool {
        self.runs() && self.filters() && self.phases(pin).next().is_some()
    }

    /// A pin's level changed.
    pub fn edge(&mut self, pin: Pin, high: bool, env: &Env<'_, '_>) {
        if self.listens(pin) {
            let (start, now, tick) = (self.start, env.now(), env.clocks().microseconds(1));
            let phases: Vec<usize> = self.phases(pin).collect();
            phases.into_iter().for_each(|phase| self.filters[phase].edge(high, start, tick, now));
        }
    }

    /// The level of the pin of `phase`; low without one.
    fn level(&self, phase: u32, env: &Env<'_, '_>) -> bool {
        let pin = connected(self.signals.get(PSEL_A + 4 * phase));
        pin.is_some_and(|pin| env.wires.levels[usize::from(pin.port)] >> pin.number & 1 != 0)
    }

    /// A sample period begins at `start`.
    fn begin(&mut self, start: Instant, env: &mut Env<'_, '_>) {
        let period = SHORTEST << self.signals.get(SAMPLEPER).min(LONGEST);
        let early = if self.filters() { period } else { u64::from(self.signals.get(LEDPRE)).min(period) };
        self.start = start;
        self.sample_at = start.after(env.clocks().microseconds(period));
        self.light_at = start.after(env.clocks().microseconds(period - early));
        self.show(early == period, env);
    }

    /// The LED is lit or not; `None` of a pin lets it go.
    fn show(&mut self, lit: bool, env: &mut Env<'_, '_>) {
        let enabled = self.signals.get(ENABLE) & 1 != 0;
        let wanted = connected(self.signals.get(PSEL_LED)).filter(|_| enabled);
        let wanted = wanted.map(|pin| (pin, lit == (self.signals.get(LEDPOL) & 1 != 0)));
        let shown = std::mem::replace(&mut self.shown, wanted);
        if let Some((pin, _)) = shown.filter(|(pin, _)| wanted.is_none_or(|(other, _)| other != *pin)) {
            env.effect(Effect::DrivePin { pin, level: None });
        }
        if let Some((pin, high)) = wanted.filter(|_| shown != wanted) {
            env.effect(Effect::DrivePin { pin, level: Some(high) });
        }
    }

    fn schedule(&self, env: &mut Env<'_, '_>) {
        env.schedule(SAMPLED, self.sample_at);
        env.schedule(LIGHT, self.light_at);
    }

    fn stop(&mut self, env: &mut Env<'_, '_>) {
        (self.sample_at, self.light_at) = (Instant::NEVER, Instant::NEVER);
        self.previous = None;
        self.show(false, env);
    }

    /// Copies ACC or ACCDBL, at `from`, and clears it.
    fn read_clear(&mut self, from: u32, to: u32) {
        let value = self.signals.get(from);
        self.signals.bank.set(to, value);
        self.signals.bank.set(from, 0);
    }

    /// Takes the step from one sample to the next into the accumulators; tells if it fits.
    fn accumulate(&mut self, step: i32) -> bool {
        if step == DOUBLE {
            let doubles = self.signals.get(ACCDBL);
            self.signals.bank.set(ACCDBL, (doubles + 1).min(DOUBLES));
            return doubles < DOUBLES;
        }
        let sum = (self.signals.get(ACC) as i32).wrapping_add(step);
        if ACCUMULATED.contains(&sum) {
            self.signals.bank.set(ACC, sum as u32);
        }
        ACCUMULATED.contains(&sum)
    }

    fn sample(&mut self, env: &mut Env<'_, '_>) {
        let filters = self.filters();
        let [a, b] = [0, 1].map(|phase| {
            let filter = &mut self.filters[phase];
            if filters { filter.sample() } else { self.level(phase as u32, env) }
        });
        // "Sampled value encoding": B leads A in the positive direction.
        let step = match self.previous.replace((a, b)) {
            Some((old_a, old_b)) if old_a != a && old_b != b => DOUBLE,
            Some((old_a, old_b)) if old_a != a || old_b != b => {
                if old_a != b {
                    1
                } else {
                    -1
                }
            }
            _ => 0,
        };
        self.signals.bank.set(SAMPLE, step as u32);
        let fits = self.accumulate(step);
        self.begin(self.sample_at, env);
        self.samples += 1;
        let reports = self.samples >= REPORTS[(self.signals.get(REPORTPER) as usize).min(REPORTS.len() - 1)];
        if reports {
            self.samples = 0;
        }
        let (moved, doubled) = (self.signals.get(ACC) != 0, self.signals.get(ACCDBL) != 0);
        let events = [(SAMPLERDY, true), (ACCOF, !fits), (REPORTRDY, reports && moved), (DBLRDY, reports && doubled)];
        for (event, _) in events.into_iter().filter(|(_, happens)| *happens) {
            self.raise(event, env);
        }
        self.schedule(env);
    }
}

impl Tasked for Qdec {
    fn signals(&mut self) -> &mut Signals {
        &mut self.signals
    }

    fn task(&mut self, task: u32, env: &mut Env<'_, '_>) {
        match task {
            START if self.signals.get(ENABLE) & 1 != 0 && !self.runs() => {
                self.samples = 0;
                let since = env.now();
                self.filters = [0, 1].map(|phase| {
                    let level = self.level(phase, env);
                    Filter { passed: level, level, since, looked: [false; 2] }
                });
                self.begin(since, env);
            }
            STOP => {
                self.stop(env);
                self.raise(STOPPED, env);
            }
            READCLRACC => {
                self.read_clear(ACC, ACCREAD);
                self.read_clear(ACCDBL, ACCDBLREAD);
            }
            RDCLRACC => self.read_clear(ACC, ACCREAD),
            RDCLRDBL => self.read_clear(ACCDBL, ACCDBLREAD),
            _ => {}
        }
        self.schedule(env);
    }
}

impl Block<Words> for Qdec {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.signals.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match (self.access(offset, write, env), offset) {
            (Some((_, new)), ENABLE) if new & 1 == 0 => {
                self.stop(env);
                self.schedule(env);
            }
            (Some(_), ENABLE | LEDPOL | PSEL_LED) => {
                let lit = self.runs() && self.light_at == Instant::NEVER;
                self.show(lit, env);
            }
            _ => {}
        }
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        match kind {
            SAMPLED if env.now() >= self.sample_at => self.sample(env),
            LIGHT if env.now() >= self.light_at => {
                self.light_at = Instant::NEVER;
                self.show(true, env);
                self.schedule(env);
            }
            _ => {}
        }
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.schedule(env);
    }

    fn refine(&mut self, times: u64) {
        let [a, b] = &mut self.filters;
        for at in [&mut self.start, &mut self.sample_at, &mut self.light_at, &mut a.since, &mut b.since] {
            *at = at.refined(times);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.signals.reset(env);
        self.stop(env);
        self.schedule(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.signals.bank)
    }
}
