//! Low-power timer of STM32L4, L4+, G0 and G4 (RM0351, RM0432, RM0444, RM0440, "Low-power timer (LPTIM)").
//!
//! Modelled: all modes of counting, starting and waveforms, with the kernel clock that the clock control selects or the
//! clock at Input 1; a timer on LSI or LSE counts on in Stop mode, where its inputs hear nothing. Not modelled: the glitch
//! filters, and triggers other than the pin ETR.

mod counter;

use cyclescope_machine::{GapKind, TimingRow};

use self::counter::{Counter, Passed};
use crate::bank::{all, but, some};
use crate::synchroniser::Edges;
use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Lines, Modelled, Source, Span, Tree, Words, Write};

const ISR: u32 = 0x00;
const ICR: u32 = 0x04;
const IER: u32 = 0x08;
const CFGR: u32 = 0x0C;
const CR: u32 = 0x10;
const CMP: u32 = 0x14;
const ARR: u32 = 0x18;
const CNT: u32 = 0x1C;

/// Flags of ISR, cleared by ICR and enabled in IER at the same places.
const CMPM: u32 = 1 << 0;
const ARRM: u32 = 1 << 1;
const EXTTRIG: u32 = 1 << 2;
const CMPOK: u32 = 1 << 3;
const ARROK: u32 = 1 << 4;
const UP: u32 = 1 << 5;
const DOWN: u32 = 1 << 6;

/// Bits of CFGR.
const CKSEL: u32 = 1 << 0;
const TIMOUT: u32 = 1 << 19;
const WAVE: u32 = 1 << 20;
const WAVPOL: u32 = 1 << 21;
const PRELOAD: u32 = 1 << 22;
const COUNTMODE: u32 = 1 << 23;
const ENC: u32 = 1 << 24;

/// Bits of CR.
const ENABLE: u32 = 1 << 0;
const SNGSTRT: u32 = 1 << 1;
const CNTSTRT: u32 = 1 << 2;
const COUNTRST: u32 = 1 << 3;
const RSTARE: u32 = 1 << 4;

/// The counter reaches something.
const COUNT: u16 = 0;
/// A write of ARR, or of CMP, has reached the counter's clock.
const ARR_TAKEN: u16 = 1;
const CMP_TAKEN: u16 = 2;
/// COUNTRST has reached it.
const CLEARED: u16 = 3;
/// Edges of inputs have reached it.
const EDGES: u16 = 4;

const SETTINGS: Modelled = but("CFGR", 0, &["CKFLT", "TRGFLT"]);

/// The modelled registers and fields, with the values after reset (RM0351, RM0444, "LPTIM register map").
pub const MODEL: &[Modelled] =
    &[all("ISR", 0).and(&["ICR", "IER", "CR", "CMP", "CNT"]), SETTINGS, all("ARR", 1), some("OR", 0, &[])];

/// The times, in periods of the kernel clock where nothing else is said.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "lptim.enable",
        "from ENABLE to a counter that may start, in counts",
        2,
        "RM0440, Timer enable; to be checked in its text",
    ),
    TimingRow::documented(
        "lptim.trigger",
        "from an external trigger to a counter that runs, in counts",
        2,
        "RM0440 rev 4, 32.4.6",
    ),
    TimingRow::assumed(
        "lptim.start",
        "from SNGSTRT or CNTSTRT without a trigger to a counter that runs, in edges of the kernel clock",
        1,
        "RM0440, LPTIM_CR: the counter is started at once; it has to be by an edge of its clock",
    ),
    TimingRow::assumed(
        "lptim.write",
        "from a write of ARR or CMP to ARROK or CMPOK, beside four periods of PCLK",
        3,
        "RM0453 rev 2, LPTIM_RCR: four APB and three kernel clock cycles to REPOK; no manual gives the time of the others",
    ),
    TimingRow::assumed("lptim.write_bus", "the periods of PCLK in it", 4, "as lptim.write"),
    TimingRow::assumed(
        "lptim.clear",
        "from COUNTRST to a counter of 0",
        3,
        "RM0444, LPTIM_CR.COUNTRST; to be checked in its text",
    ),
    TimingRow::assumed(
        "lptim.lost",
        "edges of an external clock that are lost after ENABLE",
        5,
        "RM0351, Counter mode; to be checked in its text",
    ),
    TimingRow::assumed(
        "lptim.input",
        "flip-flops between an input and what counts its edges",
        2,
        "RM0351, Clock source, gives none; two are usual",
    ),
    TimingRow::assumed(
        "lptim.output",
        "from a match to the level at the output, in counts",
        1,
        "RM0351, Waveform generation: the output is set when the counter exceeds CMP, and a period has ARR + 1 counts",
    ),
];

/// Inputs.
const IN1: usize = 0;
const IN2: usize = 1;
const ETR: usize = 2;

/// A written value on its way to the counter's clock.
#[derive(Clone, Copy, Debug)]
struct Written {
    value: u16,
    at: Instant,
    /// Edges of an external clock that are missing.
    edges: u8,
}

/// The timer.
#[derive(Clone, Debug)]
pub struct Lptim {
    bank: Bank,
    lines: Lines,
    bus: Source,
    clock: Source,
    /// The clock that it counts after the change of clocks under way.
    next_clock: Source,
    /// The input that each of the instance's pins is, if it is one.
    inputs: Vec<Option<usize>>,
    seen: [Option<bool>; 3],
    edges: Edges,
    /// The levels behind the flip-flops.
    sampled: [bool; 2],
    counter: Counter,
    written: [Option<Written>; 2],
    /// From when on the counter may start, and edges of an external clock that are lost first.
    enabled_at: Instant,
    lost: u8,
    /// SNGSTRT (`true`) or CNTSTRT waits for a trigger.
    armed: Option<bool>,
    /// A trigger has started a timer that one starts only once.
    triggered: bool,
    /// The encoder last counted down.
    down: bool,
    shown: Option<bool>,
}

impl Lptim {
    /// The timer after power-on.
    pub fn new(instance: &Instance) -> Self {
        let names = ["IN1", "IN2", "ETR"];
        let number = |signal: &str| names.iter().position(|name| *name == signal);
        let bus = instance.clock.source();
        Self {
            bank: Bank::new(instance.map, MODEL),
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            bus,
            clock: bus,
            next_clock: bus,
            inputs: instance.pins.iter().map(|wired| number(wired.signal)).collect(),
            seen: [None; 3],
            edges: Edges::new(bus, &ROWS[7], EDGES),
            sampled: [false; 2],
            counter: Counter::default(),
            written: [None; 2],
            enabled_at: Instant::NEVER,
            lost: 0,
            armed: None,
            triggered: false,
            down: false,
            shown: None,
        }
    }

    /// Selects the kernel clock, which counts from the change of clocks on that follows. Returns `true` if it was another.
    pub fn set_clock(&mut self, clock: Source) -> bool {
        self.next_clock = clock;
        self.next_clock != self.clock
    }

    /// The level of the pin of the signal `index`, if it is an input and was seen.
    pub fn seen(&self, index: usize) -> Option<bool> {
        self.inputs.get(index).copied().flatten().and_then(|input| self.seen[input])
    }

    /// Tells if the pin of the signal `index` is an input.
    pub fn is_input(signal: &str) -> bool {
        ["IN1", "IN2", "ETR"].contains(&signal)
    }

    fn config(&self, bits: u32) -> bool {
        self.bank.get(CFGR) & bits != 0
    }

    fn is_enabled(&self) -> bool {
        self.bank.get(CR) & ENABLE != 0
    }

    /// Edges at Input 1 are counted, and not time.
    fn counts_edges(&self) -> bool {
        self.config(CKSEL | COUNTMODE | ENC)
    }

    /// The clock runs on in Stop mode.
    fn outlives(&self) -> bool {
        matches!(self.clock, Source::Lsi | Source::Lse)
    }

    fn now(&self, env: &Env<'_, '_>) -> Instant {
        if self.outlives() { env.always_now() } else { env.now() }
    }

    fn schedule(&self, kind: u16, at: Instant, env: &mut Env<'_, '_>) {
        if self.outlives() { env.schedule_always(kind, at) } else { env.schedule(kind, at) }
    }

    fn period(&self, env: &Env<'_, '_>) -> Span {
        env.clocks().period_of(self.clock)
    }

    fn step(&self, env: &Env<'_, '_>) -> Span {
        self.period(env).times(1 << (self.bank.get(CFGR) >> 9 & 7))
    }

    /// The `count`-th edge of the kernel clock after `at`.
    fn edge(&self, at: Instant, count: u64, env: &Env<'_, '_>) -> Instant {
        if !self.outlives() {
            return env.clocks().edge_after(self.clock, at, count);
        }
        let (_, rest) = at.since(Instant::default()).divide(self.period(env));
        at.before(rest).after(self.period(env).times(count))
    }

    /// Brings the counter up to now.
    fn sync(&mut self, env: &mut Env<'_, '_>) {
        let step = self.step(env);
        if !self.counts_edges() && step != Span::ZERO {
            let now = self.now(env);
            let passed = self.counter.count_to(now, step);
            self.happen(passed, env);
        }
    }

    /// The counter has passed something.
    fn happen(&mut self, passed: Passed, env: &mut Env<'_, '_>) {
        let flags = if passed.compare { CMPM } else { 0 } | if passed.reload { ARRM } else { 0 };
        self.bank.flag(ISR, flags, true);
        if passed.output {
            env.cycles(&ROWS[8]);
        }
        self.bank.set(CNT, self.counter.value().into());
    }

    /// Shows what follows from the counter, and has the next event come.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let active = self.bank.get(ISR) & self.bank.get(IER);
        self.lines.drive(u32::from(active != 0), env);
        let level = self.counter.output() ^ self.config(WAVPOL);
        if self.shown != Some(level) {
            self.shown = Some(level);
            env.effect(Effect::Output { signal: "OUT", level: Some(level) });
        }
        let step = self.step(env);
        // Matches that change nothing any more need no event.
        let quiet = self.bank.get(ISR) & (CMPM | ARRM) == CMPM | ARRM && self.counter.is_steady();
        let still = quiet || self.counts_edges() || step == Span::ZERO;
        let next = if still { Instant::NEVER } else { self.counter.next_at(step) };
        self.schedule(COUNT, next, env);
    }

    /// Hands the counter what CFGR says of it.
    fn configure(&mut self) {
        self.counter.set_once = self.config(WAVE);
        self.counter.preload = self.config(PRELOAD);
    }

    fn disable(&mut self, env: &mut Env<'_, '_>) {
        self.counter.stop();
        self.armed = None;
        self.triggered = false;
        self.down = false;
        self.enabled_at = Instant::NEVER;
        self.edges.reset(env);
        // What was written is there when the timer is next enabled.
        for (place, written) in self.written.iter_mut().enumerate() {
            if let Some(written) = written.take() {
                self.counter.load(place == 0, written.value);
            }
        }
        [COUNT, ARR_TAKEN, CMP_TAKEN, CLEARED].into_iter().for_each(|kind| env.cancel(kind));
        self.bank.set(CNT, 0);
    }

    fn enable(&mut self, env: &mut Env<'_, '_>) {
        let counts = env.cycles(&ROWS[0]);
        self.enabled_at = self.edge(self.now(env), counts << (self.bank.get(CFGR) >> 9 & 7), env);
        self.lost = env.cycles(&ROWS[6]) as u8;
        self.sampled = [self.seen[IN1].unwrap_or(false), self.seen[IN2].unwrap_or(false)];
    }

    /// The counter starts after `counts` counts and `edges` edges of its clock.
    fn start(&mut self, single: bool, counts: u64, edges: u64, env: &mut Env<'_, '_>) {
        let from = self.now(env).max(if self.counts_edges() { Instant::default() } else { self.enabled_at });
        let prescaler = self.bank.get(CFGR) >> 9 & 7;
        let at = if self.counts_edges() { from } else { self.edge(from, (counts << prescaler) + edges, env) };
        self.counter.start(at, single);
    }

    fn write_control(&mut self, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(CR, write, env);
        self.bank.set(CR, new & (ENABLE | RSTARE));
        if new & ENABLE == 0 {
            if old & ENABLE != 0 {
                self.disable(env);
            }
            return;
        }
        if old & ENABLE == 0 {
            self.configure();
            self.enable(env);
        }
        if new & COUNTRST != 0 {
            let wait = env.cycles(&ROWS[5]);
            let at = self.edge(self.now(env), wait, env);
            self.bank.flag(CR, COUNTRST, true);
            self.schedule(CLEARED, at, env);
        }
        // RM0440, LPTIM_CR: bits that start are discarded while the timer is off; here it is on.
        let single = new & SNGSTRT != 0;
        if new & (SNGSTRT | CNTSTRT) == 0 {
            return;
        }
        if self.bank.get(CFGR) >> 17 & 3 != 0 {
            self.armed = Some(single);
            self.name_trigger(env);
            self.counter.set_single(single);
        } else if self.counter.runs() {
            self.counter.set_single(single);
        } else {
            let edges = env.cycles(&ROWS[2]);
            self.start(single, 0, edges, env);
        }
    }

    /// The trigger that CFGR selects: its number in TRIGSEL.
    fn trigger(&self) -> u32 {
        let cfgr = self.bank.get(CFGR);
        cfgr >> 13 & 7 | (cfgr >> 29 & 1) << 3
    }

    /// Names a trigger that nobody makes here.
    fn name_trigger(&self, env: &mut Env<'_, '_>) {
        let number = self.trigger();
        if number != 0 {
            let name = env.name();
            env.gap(GapKind::Setting, format_args!("{name}_CFGR.TRIGSEL={number}: only the pin ETR triggers it"));
        }
    }

    /// An edge of the trigger that counts.
    fn external_trigger(&mut self, env: &mut Env<'_, '_>) {
        let Some(single) = self.armed.filter(|_| self.is_enabled()) else { return };
        let counts = env.cycles(&ROWS[1]);
        if self.counter.runs() {
            // RM0440, Timeout function: each trigger begins the counting anew.
            if self.config(TIMOUT) {
                self.bank.flag(ISR, EXTTRIG, true);
                self.start(single, counts, 0, env);
            }
            return;
        }
        if self.triggered && single && self.config(WAVE) {
            return;
        }
        self.triggered = true;
        self.bank.flag(ISR, EXTTRIG, true);
        self.start(single, counts, 0, env);
    }

    /// A write of ARR or CMP.
    fn write_value(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (_, new) = self.bank.write(offset, write, env);
        let (place, kind, flag) = if offset == ARR { (0, ARR_TAKEN, ARROK) } else { (1, CMP_TAKEN, CMPOK) };
        if !self.is_enabled() {
            let (name, register) = (env.name(), if offset == ARR { "ARR" } else { "CMP" });
            env.gap(GapKind::Setting, format_args!("{name}_{register} is written while the timer is off"));
            self.counter.load(place == 0, new as u16);
            self.bank.flag(ISR, flag, true);
            return;
        }
        let (kernel, bus) = (env.cycles(&ROWS[3]), env.cycles(&ROWS[4]));
        let pclk = env.clocks().period_of(self.bus).times(bus);
        let external = self.config(CKSEL);
        let runs = self.period(env) != Span::ZERO;
        let at = if runs && !external { self.edge(self.now(env).after(pclk), kernel, env) } else { Instant::NEVER };
        let edges = if external { kernel as u8 } else { 0 };
        self.written[place] = Some(Written { value: new as u16, at, edges });
        self.schedule(kind, at, env);
    }

    /// A write has reached the counter.
    fn take(&mut self, place: usize) {
        if let Some(written) = self.written[place].take() {
            self.counter.update(place == 0, written.value);
            self.bank.flag(ISR, if place == 0 { ARROK } else { CMPOK }, true);
        }
    }

    /// Edges at the inputs have arrived where they are counted.
    fn arrived(&mut self, env: &mut Env<'_, '_>) {
        let (rose, fell) = self.edges.arrived(env);
        if !self.is_enabled() || !self.counter.runs() || self.now(env) < self.enabled_at {
            for (input, level) in self.sampled.iter_mut().enumerate() {
                *level = rose >> input & 1 != 0 || *level && fell >> input & 1 == 0;
            }
            return;
        }
        let polarity = self.bank.get(CFGR) >> 1 & 3;
        for input in [IN1, IN2] {
            for (edges, high) in [(rose, true), (fell, false)] {
                if edges >> input & 1 == 0 {
                    continue;
                }
                self.sampled[input] = high;
                let counted = if high { polarity != 1 } else { polarity != 0 };
                if !counted || input == IN2 && !self.config(ENC) {
                    continue;
                }
                // RM0440, Encoder mode, the table of counting scenarios.
                let up = !self.config(ENC) || self.sampled[1 - input] ^ high ^ (input == IN2);
                self.turn(up);
                let passed = self.counter.step(up);
                self.happen(passed, env);
            }
        }
    }

    /// The encoder's direction.
    fn turn(&mut self, up: bool) {
        if self.config(ENC) && std::mem::replace(&mut self.down, !up) == up {
            self.bank.flag(ISR, if up { UP } else { DOWN }, true);
        }
    }

    /// An edge of the clock at Input 1.
    fn clocked(&mut self, high: bool, env: &mut Env<'_, '_>) {
        let polarity = self.bank.get(CFGR) >> 1 & 3;
        if !self.is_enabled() || high == (polarity == 1) && polarity != 2 {
            return;
        }
        for place in 0..2 {
            if let Some(written) = &mut self.written[place] {
                written.edges = written.edges.saturating_sub(1);
                if written.edges == 0 {
                    self.take(place);
                }
            }
        }
        if self.lost > 0 {
            self.lost -= 1;
            return;
        }
        if self.counter.runs() && self.counter.divide(self.bank.get(CFGR) >> 9 & 7) {
            let passed = self.counter.step(true);
            self.happen(passed, env);
        }
    }
}

impl Block<Words> for Lptim {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset != CNT {
            return self.bank.read(offset, env);
        }
        self.sync(env);
        let value = self.counter.value();
        // RM0444, LPTIM_CR.RSTARE: a read clears the counter.
        if self.bank.get(CR) & RSTARE != 0 {
            let now = self.now(env);
            self.counter.clear(now);
            self.bank.set(CNT, 0);
        }
        self.settle(env);
        value.into()
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if offset == CNT { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.sync(env);
        match offset {
            ICR => self.bank.flag(ISR, write.ones(), false),
            ISR | CNT => {}
            // RM0440, LPTIM_CFGR, LPTIM_IER: only while the timer is off.
            CFGR | IER if self.is_enabled() => {
                let held = self.bank.get(offset);
                if write.over(held) != held {
                    let (name, register) = (env.name(), if offset == CFGR { "CFGR" } else { "IER" });
                    env.gap(GapKind::Setting, format_args!("{name}_{register} is written while the timer is on"));
                }
                if offset == IER {
                    self.bank.write(offset, write, env);
                }
            }
            CFGR => {
                self.bank.write(CFGR, write, env);
                self.configure();
            }
            CR => self.write_control(write, env),
            CMP | ARR => self.write_value(offset, write, env),
            _ => {
                self.bank.write(offset, write, env);
            }
        }
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        self.sync(env);
        match kind {
            ARR_TAKEN | CMP_TAKEN => {
                let place = usize::from(kind - ARR_TAKEN);
                if self.written[place].is_some_and(|written| written.at <= self.now(env)) {
                    self.take(place);
                }
            }
            CLEARED => {
                let now = self.now(env);
                self.counter.clear(now);
                self.bank.flag(CR, COUNTRST, false);
                self.bank.set(CNT, 0);
            }
            EDGES => self.arrived(env),
            _ => {}
        }
        self.settle(env);
    }

    fn input(&mut self, index: usize, high: bool, env: &mut Env<'_, '_>) {
        let Some(input) = self.inputs.get(index).copied().flatten() else { return };
        if self.seen[input].replace(high).unwrap_or(false) == high {
            return;
        }
        self.sync(env);
        if input == ETR {
            let enabled = self.bank.get(CFGR) >> 17 & 3;
            if self.trigger() == 0 && enabled & (1 << u32::from(!high)) != 0 {
                self.external_trigger(env);
            }
        } else if self.config(CKSEL) {
            if input == IN1 {
                self.clocked(high, env);
            }
        } else if self.counts_edges() && self.is_enabled() && self.period(env) != Span::ZERO {
            let bit = 1 << input;
            self.edges.push(if high { bit } else { 0 }, if high { 0 } else { bit }, env);
        }
        self.settle(env);
    }

    fn before_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.sync(env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        let before = old.period_of(self.clock);
        let from = self.now(env);
        self.clock = self.next_clock;
        let (after, now) = (self.period(env), self.now(env));
        self.counter.rescale((from, now), (before, after));
        for written in self.written.iter_mut().flatten() {
            let left = written.at.since(from).rescaled(before, after);
            let waits = after == Span::ZERO || written.edges > 0;
            written.at = if waits {
                Instant::NEVER
            } else if written.at == Instant::NEVER {
                now
            } else {
                now.after(left)
            };
        }
        let at = self.written.map(|written| written.map_or(Instant::NEVER, |written| written.at));
        self.schedule(ARR_TAKEN, at[0], env);
        self.schedule(CMP_TAKEN, at[1], env);
        if self.enabled_at != Instant::NEVER {
            self.enabled_at = now.after(self.enabled_at.since(from).rescaled(before, after));
        }
        self.edges = Edges::new(self.clock, &ROWS[7], EDGES);
        env.cancel(EDGES);
        self.settle(env);
    }

    fn refine(&mut self, times: u64) {
        self.counter.refine(times);
        self.edges.refine(times);
        for at in self.written.iter_mut().flatten().map(|written| &mut written.at).chain([&mut self.enabled_at]) {
            *at = at.refined(times);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.disable(env);
        self.written = [None; 2];
        self.counter = Counter::default();
        self.settle(env);
    }

    fn output(&self, signal: &str) -> Option<bool> {
        (signal == "OUT").then_some(self.counter.output() ^ self.config(WAVPOL))
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
