//! Real-time counter (nRF52840 PS, "RTC — Real-time counter"): 24 bits of LFCLK behind a prescaler.
//!
//! Tasks reach the counter with the rising edge of LFCLK that follows its next falling edge, so after 15 to 46 microseconds. A
//! written compare value counts from the next rising edge on, which itself still compares with the old one: with a counter of N,
//! N + 2 is sure to match and N + 1 is not.

use cyclescope_machine::TimingRow;

use crate::{Block, Clocks, Env, Instance, Instant, Modelled, Source, Span, Tree, Words, Write};

use super::registers::write_view;
use super::signals::{Signals, Tasked};

const START: u32 = 0x00;
const STOP: u32 = 0x04;
const CLEAR: u32 = 0x08;
const TRIGOVRFLW: u32 = 0x0C;
const TICK: u32 = 0x100;
const OVRFLW: u32 = 0x104;
const COMPARE: u32 = 0x140;
const EVTEN: u32 = 0x340;
const EVTENSET: u32 = 0x344;
const EVTENCLR: u32 = 0x348;
const COUNTER: u32 = 0x504;
const PRESCALER: u32 = 0x508;
const CC: u32 = 0x540;
const CC_END: u32 = CC + 4 * CHANNELS as u32;
/// Channels of the largest counter.
const CHANNELS: usize = 4;

const MASK: u32 = 0xFF_FFFF;
/// The counter after TRIGOVRFLW.
const NEARLY_OVER: u32 = 0xFF_FFF0;

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[];

/// The time of a read.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "rtc.counter_read",
    "periods of PCLK16M of a read of COUNTER, in which the core waits",
    5,
    "nRF52840 PS v1.7, RTC, Reading the COUNTER register; the figure is from memory and was not read in the document",
)];

/// Events: those of the channels have their numbers; OVRFLW, TICK, and the tasks on their way to the counter.
const OVER: u16 = CHANNELS as u16;
const TICKED: u16 = OVER + 1;
const TASKS: u16 = TICKED + 1;
const TASK_COUNT: usize = 4;

/// The block.
#[derive(Clone, Debug)]
pub struct Rtc {
    signals: Signals,
    runs: bool,
    /// The counter at `since`, or while it stands.
    count: u32,
    since: Instant,
    /// PRESCALER as the counter has it since the last task.
    prescaler: u32,
    /// When each channel matches next.
    matches: [Instant; CHANNELS],
    /// When START, STOP, CLEAR and TRIGOVRFLW reach the counter.
    tasks: [Instant; TASK_COUNT],
}

impl Rtc {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self {
            signals: Signals::new(instance, PARTLY, &[]),
            runs: false,
            count: 0,
            since: Instant::NEVER,
            prescaler: 0,
            matches: [Instant::NEVER; CHANNELS],
            tasks: [Instant::NEVER; TASK_COUNT],
        }
    }

    /// The end of a read of the register at `offset` that begins at `at`.
    pub fn answers_at(&self, offset: u32, at: Instant, clocks: &Clocks) -> Option<Instant> {
        (offset == COUNTER).then(|| at.after(clocks.period_of(Source::Pclk).times(ROWS[0].cycles.into())))
    }

    /// True if the event at `event` is wanted by EVTEN or INTEN; others do not happen ("Event control").
    fn wants(&self, event: u32) -> bool {
        let bit = 1 << (event.wrapping_sub(TICK) / 4 % 32);
        self.signals.interrupts(event) || self.signals.get(EVTEN) & bit != 0
    }

    fn tick(&self, clocks: &Clocks) -> Span {
        clocks.period_of(Source::Rtc).times(u64::from(self.prescaler) + 1)
    }

    /// The steps that the counter has made up to `at` since `since`.
    fn steps(&self, at: Instant, clocks: &Clocks) -> u64 {
        if self.runs { at.since(self.since).divide(self.tick(clocks)).0 } else { 0 }
    }

    fn value(&self, at: Instant, clocks: &Clocks) -> u32 {
        self.count.wrapping_add(self.steps(at, clocks) as u32) & MASK
    }

    /// The first time after `after` at which the counter becomes `wanted`.
    fn next(&self, wanted: u32, after: Instant, clocks: &Clocks) -> Instant {
        let tick = self.tick(clocks);
        if !self.runs || tick == Span::ZERO {
            return Instant::NEVER;
        }
        let steps = self.steps(after, clocks);
        let away = wanted.wrapping_sub(self.count.wrapping_add(steps as u32)) & MASK;
        let away = if away == 0 { u64::from(MASK) + 1 } else { away.into() };
        self.since.after(tick.times(steps.saturating_add(away)))
    }

    /// Has all come that the counter makes. Channels are looked at anew from `after` on.
    fn schedule(&mut self, after: Instant, env: &mut Env<'_, '_>) {
        for channel in 0..CHANNELS {
            self.matches[channel] = self.next(self.signals.get(CC + 4 * channel as u32), after, env.clocks());
            env.schedule(channel as u16, self.matches[channel]);
        }
        self.schedule_counts(env);
    }

    fn schedule_counts(&self, env: &mut Env<'_, '_>) {
        self.schedule_count(OVER, env);
        self.schedule_count(TICKED, env);
    }

    /// Has the next overflow or tick come, if anybody wants it.
    fn schedule_count(&self, kind: u16, env: &mut Env<'_, '_>) {
        let (now, clocks) = (env.now(), env.clocks());
        let (event, wanted) = match kind {
            OVER => (OVRFLW, 0),
            _ => (TICK, self.value(now, clocks).wrapping_add(1) & MASK),
        };
        let at = if self.wants(event) { self.next(wanted, now, clocks) } else { Instant::NEVER };
        env.schedule(kind, at);
    }

    /// The counter gets `count` at `since`, with its prescaler begun anew.
    fn begin(&mut self, count: u32, since: Instant, env: &mut Env<'_, '_>) {
        self.prescaler = self.signals.get(PRESCALER);
        (self.count, self.since) = (count, since);
        self.schedule(since, env);
    }

    /// A task has reached the counter, with an edge of LFCLK at `now`.
    fn arrive(&mut self, task: u32, now: Instant, env: &mut Env<'_, '_>) {
        let lfclk = env.clocks().period_of(Source::Rtc);
        match task {
            START if !self.runs => {
                self.runs = true;
                // The first step with a prescaler of 0 comes now.
                let count = self.count;
                self.begin(count, now.before(lfclk), env);
            }
            STOP => {
                self.count = self.value(now, env.clocks());
                self.runs = false;
                self.schedule(now, env);
            }
            CLEAR => self.begin(0, now, env),
            TRIGOVRFLW => self.begin(NEARLY_OVER, now, env),
            _ => {}
        }
    }

    /// The rising edge of LFCLK behind the falling one after `at`; `at` while the clock stands.
    fn reaches(&self, at: Instant, clocks: &Clocks) -> Instant {
        let period = clocks.period_of(Source::Rtc);
        if period == Span::ZERO {
            return at;
        }
        let next = clocks.edge_after(Source::Rtc, at, 1);
        let has_fallen = next.since(at) <= period.half();
        if has_fallen { next.after(period) } else { next }
    }

    fn schedule_tasks(&self, env: &mut Env<'_, '_>) {
        let stands = env.clocks().period_of(Source::Rtc) == Span::ZERO;
        for (kind, at) in (TASKS..).zip(self.tasks) {
            env.schedule(kind, if stands { Instant::NEVER } else { at });
        }
    }
}

impl Tasked for Rtc {
    fn signals(&mut self) -> &mut Signals {
        &mut self.signals
    }

    fn task(&mut self, task: u32, env: &mut Env<'_, '_>) {
        // A task that waits for LFCLK to start gets its time then.
        let at = self.reaches(env.now(), env.clocks());
        if let Some(place) = self.tasks.get_mut((task / 4) as usize) {
            *place = at;
            self.schedule_tasks(env);
        }
    }
}

impl Block<Words> for Rtc {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset == COUNTER {
            env.wires.note(&ROWS[0]);
            return self.value(env.now(), env.clocks());
        }
        self.signals.bank.read(offset, env)
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if offset == COUNTER { None } else { self.signals.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            // Read only while the counter runs.
            PRESCALER if self.runs => return,
            EVTEN | EVTENSET | EVTENCLR => {
                write_view(&mut self.signals.bank, EVTEN, offset, write, env);
            }
            _ => {
                self.access(offset, write, env);
            }
        }
        if let CC..CC_END = offset {
            let channel = ((offset - CC) / 4) as usize;
            let period = env.clocks().period_of(Source::Rtc);
            let counts =
                if period == Span::ZERO { env.now() } else { env.clocks().edge_after(Source::Rtc, env.now(), 1) };
            // A match with the old value up to then comes all the same.
            if self.matches[channel] > counts {
                self.matches[channel] = self.next(self.signals.get(offset), counts, env.clocks());
                env.schedule(channel as u16, self.matches[channel]);
            }
        }
        self.schedule_counts(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        let place = usize::from(kind);
        match kind {
            0..OVER => {
                let event = COMPARE + 4 * u32::from(kind);
                if self.wants(event) {
                    self.raise(event, env);
                }
                let wanted = self.signals.get(CC + 4 * u32::from(kind));
                self.matches[place] = self.next(wanted, env.now(), env.clocks());
                env.schedule(kind, self.matches[place]);
            }
            OVER | TICKED => {
                self.raise(if kind == OVER { OVRFLW } else { TICK }, env);
                self.schedule_count(kind, env);
            }
            _ => {
                let place = usize::from(kind - TASKS).min(TASK_COUNT - 1);
                if env.now() >= self.tasks[place] {
                    let at = std::mem::replace(&mut self.tasks[place], Instant::NEVER);
                    self.arrive(4 * place as u32, at, env);
                }
            }
        }
    }

    fn before_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        // LFCLK starts or stops: the counter stands where it is.
        (self.count, self.since) = (self.value(env.now(), env.clocks()), env.now());
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        let starts = old.rtc == Span::ZERO;
        if starts {
            let at = self.reaches(env.now(), env.clocks());
            self.tasks = self.tasks.map(|task| if task == Instant::NEVER { task } else { at });
        }
        self.schedule_tasks(env);
        self.schedule(env.now(), env);
    }

    fn refine(&mut self, times: u64) {
        self.since = self.since.refined(times);
        self.matches = self.matches.map(|at| at.refined(times));
        self.tasks = self.tasks.map(|at| at.refined(times));
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.signals.reset(env);
        (self.runs, self.count, self.prescaler) = (false, 0, 0);
        self.tasks = [Instant::NEVER; TASK_COUNT];
        self.schedule_tasks(env);
        self.schedule(env.now(), env);
    }

    fn bank(&self) -> Option<&crate::Bank> {
        Some(&self.signals.bank)
    }
}
