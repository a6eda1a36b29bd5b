//! Pulse width modulation (nRF52840 PS, "PWM — Pulse width modulation"): a wave counter with four outputs, whose compare values
//! come from sequences in RAM.
//!
//! A period is one event, and each edge at a connected pin another. Sequences step at the beginning of periods. SEQEND, and with
//! the last round LOOPSDONE, come when the last value has been loaded, so that a shortcut from them to STOP leaves that value one
//! period. EasyDMA reads the values of a step shortly before the period in which they are first used; where that was not known yet,
//! they are used as soon as they are there. The first period begins when its values are. Behind STOP a pin keeps its level until the module is disabled.

use cyclescope_machine::{Pin, Width};

use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Modelled, Source, Span, Tree, Words, Write};

use super::easydma::{self, DECIDED, EasyDma, Master, Moved};
use super::select::connected;
use super::signals::{Short, Signals, Tasked};

const STOP: u32 = 0x04;
const SEQSTART: u32 = 0x08;
const SEQSTART_1: u32 = SEQSTART + 4;
const NEXTSTEP: u32 = 0x10;
const STOPPED: u32 = 0x104;
const SEQSTARTED: u32 = 0x108;
const SEQEND: u32 = 0x110;
const PWMPERIODEND: u32 = 0x118;
const LOOPSDONE: u32 = 0x11C;
const ENABLE: u32 = 0x500;
const MODE: u32 = 0x504;
const COUNTERTOP: u32 = 0x508;
const PRESCALER: u32 = 0x50C;
const DECODER: u32 = 0x510;
const LOOP: u32 = 0x514;
/// SEQ[n].PTR, CNT, REFRESH, ENDDELAY, 32 bytes each.
const PTR: u32 = 0x520;
const CNT: u32 = 0x524;
const REFRESH: u32 = 0x528;
const ENDDELAY: u32 = 0x52C;
const PSEL: u32 = 0x560;
const OUTPUTS: u32 = 4;
const PSEL_END: u32 = PSEL + 4 * OUTPUTS;

/// DECODER.LOAD.
const COMMON: u32 = 0;
const GROUPED: u32 = 1;
const WAVEFORM: u32 = 3;
/// DECODER.MODE: NEXTSTEP, not a count of periods, goes on to the next value.
const BY_TASK: u32 = 1 << 8;
/// A value in RAM: the first edge of a period falls.
const FALLS: u16 = 1 << 15;
/// The bits of the counter.
const COUNT: u16 = 0x7FFF;

const SHORTS: &[Short] = &[
    (0, SEQEND, STOP),
    (1, SEQEND + 4, STOP),
    (2, LOOPSDONE, SEQSTART),
    (3, LOOPSDONE, SEQSTART_1),
    (4, LOOPSDONE, STOP),
];

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[];

/// The events: a period ends, an output has an edge, values are read for the next period.
const PERIOD: u16 = 0;
const EDGE: u16 = 1;
const FETCH: u16 = 2;

/// Cycles of the core before the end of a period at which values are read for the next one: time for those of a wave form, and for
/// others that have the slave.
const LEAD: u64 = 16;

/// The values of a step on their way from RAM.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    address: u32,
    /// DECODER.LOAD with which they are read.
    load: u32,
    values: [u16; OUTPUTS as usize],
    got: u32,
    /// They are used as soon as they are there: the period has begun.
    late: bool,
    /// The counter starts with them.
    starts: bool,
}

/// The number of values that a step takes from RAM by DECODER.LOAD.
const fn width(load: u32) -> u32 {
    match load {
        COMMON => 1,
        GROUPED => 2,
        _ => 4,
    }
}

impl Ahead {
    const fn is_there(&self) -> bool {
        self.got >= width(self.load)
    }
}

/// A sequence that is played.
#[derive(Clone, Copy, Debug)]
struct Sequence {
    /// 0 or 1.
    number: u32,
    /// The address of the next step's values, and the number of steps that are left.
    next: u32,
    steps: u32,
    /// Periods that the present value, and the delay behind the last one, have left.
    periods: u32,
    delay: u32,
    /// The last value has had its periods.
    ended: bool,
}

/// A period of the wave counter.
#[derive(Clone, Copy, Debug)]
struct Period {
    start: Instant,
    tick: Span,
    top: u32,
    up_and_down: bool,
}

impl Period {
    /// Its length in ticks.
    fn length(&self) -> u64 {
        u64::from(self.top) << u32::from(self.up_and_down)
    }

    fn end(&self) -> Instant {
        self.start.after(self.tick.times(self.length()))
    }

    /// The ticks at which the output of `value` changes.
    fn edges(&self, value: u16) -> [u64; 2] {
        let compare = u64::from(value & COUNT).min(u64::from(self.top));
        [compare, if self.up_and_down { self.length() - compare } else { self.length() }]
    }
}

/// The block.
#[derive(Clone, Debug)]
pub struct Pwm {
    signals: Signals,
    dma: Master,
    ahead: Option<Ahead>,
    /// The values for the next period have been asked for, if there are any.
    asked: bool,
    /// The present period, while the counter runs.
    period: Option<Period>,
    /// The values compared with, by output.
    values: [u16; OUTPUTS as usize],
    /// The counter's top that a wave form has brought.
    wave_top: u16,
    sequence: Option<Sequence>,
    /// The sequence that starts with the next period.
    starts: Option<u32>,
    /// NEXTSTEP has come.
    steps: bool,
    stops: bool,
    /// Rounds of both sequences that are left.
    loops: u32,
    /// The levels at the pins.
    shown: [Option<(Pin, bool)>; OUTPUTS as usize],
}

impl Pwm {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self {
            signals: Signals::new(instance, PARTLY, SHORTS),
            dma: Master::new(instance),
            ahead: None,
            asked: false,
            period: None,
            values: [0; OUTPUTS as usize],
            wave_top: 0,
            sequence: None,
            starts: None,
            steps: false,
            stops: false,
            loops: 0,
            shown: [None; OUTPUTS as usize],
        }
    }

    fn load(&self) -> u32 {
        self.signals.get(DECODER) & 3
    }

    /// The number of values that a step takes from RAM.
    fn width(&self) -> u32 {
        width(self.load())
    }

    /// The sequence `number` begins; `None` if it is empty.
    fn begin(&mut self, number: u32, env: &mut Env<'_, '_>) {
        let register = |register: u32| self.signals.get(register + 32 * number);
        let steps = register(CNT) / self.width();
        let (next, delay) = (register(PTR), register(ENDDELAY));
        self.sequence = None;
        if steps == 0 {
            return;
        }
        self.sequence = Some(Sequence { number, next, steps, periods: 0, delay, ended: false });
        self.raise(SEQSTARTED + 4 * number, env);
        self.step(env);
    }

    /// The address of the values that the next period begins with, if it takes any.
    fn upcoming(&self) -> Option<u32> {
        let begin = |number: u32| {
            let register = |register: u32| self.signals.get(register + 32 * number);
            (register(CNT) / self.width() > 0).then(|| register(PTR))
        };
        if self.stops {
            return None;
        }
        if let Some(number) = self.starts {
            return begin(number);
        }
        let sequence = self.sequence?;
        if !sequence.ended {
            let by_task = self.signals.get(DECODER) & BY_TASK != 0;
            if by_task && !self.steps || !by_task && sequence.periods > 0 {
                return None;
            }
            if sequence.steps > 0 {
                return Some(sequence.next);
            }
        }
        let goes_on = sequence.delay == 0 && self.loops > sequence.number;
        if goes_on { begin(1 - sequence.number) } else { None }
    }

    /// EasyDMA reads the values of the step at `address`, two at a time where they lie in a word.
    fn fetch(&mut self, address: u32, late: bool, starts: bool, env: &mut Env<'_, '_>) {
        let load = self.load();
        let wanted = width(load);
        self.dma.clear(env);
        self.ahead = Some(Ahead { address, load, values: [0; OUTPUTS as usize], got: 0, late, starts });
        let width = if wanted > 1 && Width::Word.aligned(address) { Width::Word } else { Width::Half };
        for offset in (0..2 * wanted).step_by(width.bytes() as usize) {
            self.dma.read(address.wrapping_add(offset), width, width.bytes() / 2, env);
        }
    }

    /// The next values of the sequence come from RAM.
    fn step(&mut self, env: &mut Env<'_, '_>) {
        let Some(sequence) = self.sequence else { return };
        let load = self.load();
        match &mut self.ahead {
            Some(ahead) if (ahead.address, ahead.load) == (sequence.next, load) => {
                if ahead.is_there() {
                    self.take_values(env);
                } else {
                    ahead.late = true;
                }
            }
            _ => self.fetch(sequence.next, true, false, env),
        }
    }

    /// The values that have been read are compared with from now on.
    fn take_values(&mut self, env: &mut Env<'_, '_>) {
        let Some((sequence, ahead)) = self.sequence.as_mut().zip(self.ahead.take()) else { return };
        let from = sequence.next;
        let Ahead { load, values, .. } = ahead;
        self.values = match load {
            COMMON => [values[0]; 4],
            GROUPED => [values[0], values[0], values[1], values[1]],
            _ => values,
        };
        if load == WAVEFORM {
            self.wave_top = std::mem::take(&mut self.values[3]) & COUNT;
        }
        (sequence.next, sequence.steps) = (from.wrapping_add(2 * width(load)), sequence.steps.saturating_sub(1));
        let (number, is_last) = (sequence.number, sequence.steps == 0);
        sequence.periods = self.signals.get(REFRESH + 32 * number);
        if is_last {
            self.raise(SEQEND + 4 * number, env);
            if number == 1 && self.loops == 1 {
                self.raise(LOOPSDONE, env);
            }
        }
    }

    /// A period of the sequence has passed.
    fn go_on(&mut self, env: &mut Env<'_, '_>) {
        let by_task = self.signals.get(DECODER) & BY_TASK != 0;
        let stepped = std::mem::take(&mut self.steps);
        let Some(sequence) = &mut self.sequence else { return };
        if !sequence.ended {
            if by_task && !stepped {
                return;
            }
            if !by_task && sequence.periods > 0 {
                sequence.periods -= 1;
                return;
            }
            if sequence.steps > 0 {
                return self.step(env);
            }
            sequence.ended = true;
        }
        if sequence.delay > 0 {
            sequence.delay -= 1;
            return;
        }
        let number = sequence.number;
        self.sequence = None;
        self.loops = self.loops.saturating_sub(number);
        if self.loops > 0 {
            self.begin(1 - number, env);
        }
    }

    /// The counter starts.
    fn start(&mut self, env: &mut Env<'_, '_>) {
        let start = env.clocks().edge_from(Source::Pclk, env.now());
        self.turn(start, env);
        self.show(env);
    }

    /// The next period begins at `start`, or the counter stops.
    fn turn(&mut self, start: Instant, env: &mut Env<'_, '_>) {
        if std::mem::take(&mut self.stops) {
            (self.period, self.sequence, self.starts) = (None, None, None);
            self.forget_values(env);
            self.raise(STOPPED, env);
            return;
        }
        self.asked = false;
        // The counter runs before events can stop it.
        self.period = Some(self.period_at(start, env));
        match self.starts.take() {
            Some(number) => {
                self.loops = self.signals.get(LOOP);
                self.begin(number, env);
            }
            None => self.go_on(env),
        }
        self.period = Some(self.period_at(start, env));
    }

    /// The period that begins at `start` as it is set up.
    fn period_at(&self, start: Instant, env: &Env<'_, '_>) -> Period {
        let top = if self.load() == WAVEFORM { self.wave_top.into() } else { self.signals.get(COUNTERTOP) };
        let tick = env.clocks().period_of(Source::Pclk).times(1 << (self.signals.get(PRESCALER) & 7));
        // The manual allows values from 3 on.
        let up_and_down = self.signals.get(MODE) & 1 != 0;
        Period { start, tick, top: top.max(1), up_and_down }
    }

    /// The level of output `index` in `period`, `passed` ticks after its begin.
    fn level(&self, index: usize, period: &Period, passed: u64) -> bool {
        let [first, second] = period.edges(self.values[index]);
        (passed >= first && passed < second) != (self.values[index] & FALLS != 0)
    }

    /// Shows the levels of the outputs, and has the next edge come.
    fn show(&mut self, env: &mut Env<'_, '_>) {
        let Some(period) = self.period else { return self.schedule(Instant::NEVER, env) };
        if env.now() < period.start {
            return self.schedule(period.start, env);
        }
        let (passed, _) = env.now().since(period.start).divide(period.tick);
        let mut next = u64::MAX;
        for index in 0..OUTPUTS as usize {
            let pin = connected(self.signals.get(PSEL + 4 * index as u32));
            let wanted = pin.map(|pin| (pin, self.level(index, &period, passed)));
            self.put(index, wanted, env);
            if pin.is_some() {
                let edges = period.edges(self.values[index]);
                next = edges.into_iter().filter(|edge| *edge > passed && *edge < period.length()).fold(next, u64::min);
            }
        }
        let at = if next == u64::MAX { Instant::NEVER } else { period.start.after(period.tick.times(next)) };
        self.schedule(at, env);
    }

    /// The pin of output `index` has `wanted`, or none is driven.
    fn put(&mut self, index: usize, wanted: Option<(Pin, bool)>, env: &mut Env<'_, '_>) {
        let shown = std::mem::replace(&mut self.shown[index], wanted);
        if shown == wanted {
            return;
        }
        if let Some((pin, _)) = shown.filter(|(pin, _)| wanted.is_none_or(|(other, _)| other != *pin)) {
            env.effect(Effect::DrivePin { pin, level: None });
        }
        if let Some((pin, high)) = wanted {
            env.effect(Effect::DrivePin { pin, level: Some(high) });
        }
    }

    fn forget_values(&mut self, env: &mut Env<'_, '_>) {
        self.ahead = None;
        self.dma.clear(env);
    }

    /// Has values for the next period read shortly before it.
    fn expect_values(&self, env: &mut Env<'_, '_>) {
        let plays = self.sequence.is_some() || self.starts.is_some();
        let end = self.period.filter(|_| plays && !self.asked).map_or(Instant::NEVER, |period| period.end());
        let lead = env.clocks().period_of(Source::Hclk).times(LEAD);
        env.schedule(FETCH, if end == Instant::NEVER { end } else { end.before(lead) });
    }

    fn schedule(&self, edge: Instant, env: &mut Env<'_, '_>) {
        self.expect_values(env);
        env.schedule(PERIOD, self.period.map_or(Instant::NEVER, |period| period.end()));
        env.schedule(EDGE, edge);
    }

    /// Lets all pins go and forgets what was played.
    fn switch_off(&mut self, env: &mut Env<'_, '_>) {
        (self.period, self.sequence, self.starts) = (None, None, None);
        (self.stops, self.steps) = (false, false);
        self.forget_values(env);
        (0..OUTPUTS as usize).for_each(|index| self.put(index, None, env));
        self.schedule(Instant::NEVER, env);
    }
}

impl Tasked for Pwm {
    fn signals(&mut self) -> &mut Signals {
        &mut self.signals
    }

    fn task(&mut self, task: u32, env: &mut Env<'_, '_>) {
        if self.signals.get(ENABLE) & 1 == 0 {
            return;
        }
        match task {
            STOP if self.period.is_none() => {
                self.starts = None;
                self.forget_values(env);
                self.raise(STOPPED, env);
            }
            STOP => self.stops = true,
            SEQSTART | SEQSTART_1 => {
                self.starts = Some((task - SEQSTART) / 4);
                if self.period.is_none() {
                    self.stops = false;
                    match self.upcoming() {
                        Some(address) => self.fetch(address, false, true, env),
                        None => {
                            // Values of another start may be on their way.
                            self.forget_values(env);
                            self.start(env);
                        }
                    }
                } else {
                    self.expect_values(env);
                }
            }
            NEXTSTEP => self.steps = true,
            _ => {}
        }
    }
}

impl EasyDma for Pwm {
    fn easydma(&self) -> &Master {
        &self.dma
    }

    fn easydma_mut(&mut self) -> &mut Master {
        &mut self.dma
    }

    fn moved(&mut self, moved: Moved, env: &mut Env<'_, '_>) {
        let Some(ahead) = &mut self.ahead else { return };
        for half in 0..moved.tag {
            if let Some(place) = ahead.values.get_mut(ahead.got as usize) {
                *place = (moved.value >> (16 * half)) as u16;
            }
            ahead.got += 1;
        }
        let (late, starts) = (ahead.late, ahead.starts);
        if !ahead.is_there() {
            return;
        }
        if starts {
            self.start(env);
        } else if late {
            self.take_values(env);
            // A wave form brings the counter's top.
            let period = self.period.map(|period| self.period_at(period.start, env));
            self.period = period;
            self.show(env);
        }
    }
}

impl Block<Words> for Pwm {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.signals.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.dma.set_written(true);
        let changed = self.access(offset, write, env);
        self.dma.set_written(false);
        match (changed, offset) {
            (Some((_, new)), ENABLE) if new & 1 == 0 => self.switch_off(env),
            (Some(_), PSEL..PSEL_END) => self.show(env),
            _ => {}
        }
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        if kind == DECIDED {
            return easydma::decide(self, env);
        }
        if kind == FETCH {
            self.asked = true;
            // Values that the present period still waits for come first.
            let waits = self.ahead.is_some_and(|ahead| ahead.late);
            if let Some(address) = self.upcoming().filter(|_| !waits) {
                self.fetch(address, false, false, env);
            }
            return;
        }
        if let Some(period) = self.period.filter(|period| env.now() >= period.end()) {
            self.raise(PWMPERIODEND, env);
            self.turn(period.end(), env);
        }
        self.show(env);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.show(env);
    }

    fn refine(&mut self, times: u64) {
        if let Some(period) = &mut self.period {
            (period.start, period.tick) = (period.start.refined(times), period.tick.times(times));
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.signals.reset(env);
        self.switch_off(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.signals.bank)
    }
}
