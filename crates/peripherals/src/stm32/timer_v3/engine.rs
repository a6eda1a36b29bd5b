//! The timer as a function of time: what is due is carried out tick by tick where somebody looks, and at once where nobody
//! does. A tick is a period of the timer's clock.
//!
//! At each tick the counter moves first, then actions of the slave mode that are due, then edges that arrive at inputs.

use super::TimerV3;
use super::counter::{Mode, Passed};
use super::master::Event;
use super::registers::{AOE, BDTR, CCDE1, CCDS, CEN, CR1, CR2, DIER, ECE, MOE, SMCR, SR, UDE, UDIS, UIF, URS};
use crate::{Clocks, Env, Instant};

/// Dead time, the longest memory of outputs, ends within this many ticks.
const MEMORY: u64 = 4 * 1008 + 8;

/// An action of the slave mode controller, at a tick of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// A rise of TRGI.
    Trigger,
    /// The gate of gated mode opens (`true`) or closes.
    Gate(bool),
    /// One count of an external clock, in the direction that an encoder gives.
    Count(Option<bool>),
    /// A commutation event.
    Commutate,
    /// A trigger output changes.
    Show(Event),
}

/// Ticks and the part's time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ticks {
    /// When the tick `base` was.
    anchor: Instant,
    base: u64,
}

impl Ticks {
    /// Counts from zero at `anchor` on.
    pub(super) const fn from(anchor: Instant) -> Self {
        Self { anchor, base: 0 }
    }

    /// The tick of `now`, of a clock with periods of `period`.
    fn at(&self, now: Instant, period: crate::Span) -> u64 {
        self.base.saturating_add(now.since(self.anchor).divide(period).0)
    }

    /// Counts from the last tick before `now` on, with `rest` passed since.
    fn move_to(&mut self, now: Instant, period: crate::Span, keep: bool) {
        let (ticks, rest) = now.since(self.anchor).divide(period);
        self.base = self.base.saturating_add(ticks);
        self.anchor = if keep { now.before(rest) } else { now };
    }
}

impl TimerV3 {
    /// When `tick` is.
    pub(super) fn instant(&self, tick: u64, clocks: &Clocks) -> Instant {
        if tick == u64::MAX {
            return Instant::NEVER;
        }
        self.ticks.anchor.after(clocks.period_of(self.clock).times(tick.saturating_sub(self.ticks.base)))
    }

    /// The tick of now.
    pub(super) fn tick(&self, env: &Env<'_, '_>) -> u64 {
        self.ticks.at(env.now(), env.clocks().period_of(self.clock))
    }

    /// A write by software falls on an edge of the timer's clock: ticks are counted from now on.
    pub(super) fn align(&mut self, env: &Env<'_, '_>) {
        self.ticks.move_to(env.now(), env.clocks().period_of(self.clock), false);
    }

    /// The timer's clock has had periods of `old` up to now.
    pub(super) fn rescale(&mut self, old: crate::Span, env: &Env<'_, '_>) {
        let now = env.now();
        self.ticks.move_to(now, old, true);
        let passed = now.since(self.ticks.anchor);
        self.ticks.anchor = now.before(passed.rescaled(old, env.clocks().period_of(self.clock)));
    }

    pub(super) fn refine_ticks(&mut self, times: u64) {
        self.ticks.anchor = self.ticks.anchor.refined(times);
    }

    /// SMS, with its upper bit where the version has it.
    pub(super) fn slave_mode(&self) -> u32 {
        let smcr = self.bank.get(SMCR);
        smcr & 7 | if self.is_v3 { smcr >> 13 & 8 } else { 0 }
    }

    /// True in an encoder mode, in which edges give the direction.
    pub(super) fn encodes(&self) -> bool {
        matches!(self.slave_mode(), 1..=3)
    }

    /// CNT_EN: the counter counts whatever its clock gives.
    pub(super) fn counts(&self) -> bool {
        self.counter.running && self.gate
    }

    /// True if the counter counts the timer's own clock now.
    pub(super) fn is_clocked(&self) -> bool {
        self.counts() && self.bank.get(SMCR) & ECE == 0 && !matches!(self.slave_mode(), 1..=3 | 7)
    }

    /// Has `action` come at `tick`. One tick takes each action once.
    pub(super) fn plan(&mut self, tick: u64, action: Action) {
        if !self.actions.contains(&(tick, action)) {
            self.actions.push((tick, action));
        }
    }

    /// The next tick at which anything but the counter has something to do.
    pub(super) fn next_due(&self) -> u64 {
        let actions = self.actions.iter().map(|(tick, _)| *tick).min().unwrap_or(u64::MAX);
        actions.min(self.next_input()).min(self.next_dead_end())
    }

    /// The tick at which the counter has taken `steps` from now on.
    fn after_steps(&self, steps: u64) -> u64 {
        let ticks = steps.saturating_mul(self.counter.scale()).saturating_sub(self.phase).max(1);
        self.at.max(self.start).saturating_add(ticks)
    }

    /// The tick at which the counter overflows, underflows or turns; `u64::MAX` if it does not by itself.
    pub(super) fn next_end(&self) -> u64 {
        let end = self.counter.steps_to_end().filter(|_| self.is_clocked());
        end.map_or(u64::MAX, |steps| self.after_steps(steps))
    }

    /// The tick at which the counter steps; `u64::MAX` if it does not by itself.
    pub(super) fn next_step(&self) -> u64 {
        if self.is_clocked() && self.counter.steps_to_end().is_some() { self.after_steps(1) } else { u64::MAX }
    }

    /// The first time after `now` at which the counter's value may change by itself, if no end lies between.
    pub(super) fn next_step_after(&self, now: Instant, clocks: &Clocks) -> Instant {
        if self.next_step() == u64::MAX {
            return Instant::NEVER;
        }
        let from = self.at.max(self.start);
        let tick = self.ticks.at(now, clocks.period_of(self.clock));
        let passed = self.phase.saturating_add(tick.saturating_sub(from));
        let steps = passed / self.counter.scale() + 1;
        self.instant(self.after_steps(steps), clocks)
    }

    /// The tick at which the counter meets the compare value of `channel` before its next end, flagged or not.
    pub(super) fn next_value(&self, channel: usize) -> u64 {
        if !self.is_clocked() {
            return u64::MAX;
        }
        let steps = self.counter.steps_to_value(self.counter.ccr[channel]);
        steps.map_or(u64::MAX, |steps| self.after_steps(steps))
    }

    /// The tick at which a reference may change by the counter; `u64::MAX` if none does.
    fn next_reference(&self) -> u64 {
        let dynamic = self.dynamic();
        if dynamic == 0 {
            return u64::MAX;
        }
        // A combined reference also follows its neighbour.
        let values = (0..self.channels).map(|channel| self.next_value(channel));
        values.min().unwrap_or(u64::MAX).min(self.next_end())
    }

    /// Brings everything up to now.
    pub(super) fn sync(&mut self, env: &mut Env<'_, '_>) {
        let now = self.tick(env);
        self.run(now, env);
    }

    /// Brings everything up to the tick `target`; returns `true` if anything happened.
    pub(super) fn run(&mut self, target: u64, env: &mut Env<'_, '_>) -> bool {
        let mut any = false;
        while self.at < target {
            let edges = self.is_live() || (self.pairs > 0 && self.dead_ticks() > 0);
            let mut next = target.min(self.next_due().max(self.at + 1));
            if edges && self.is_clocked() {
                // What lies back further than outputs remember is passed over.
                let far = target.saturating_sub(MEMORY);
                next = if self.at < far { next.min(far) } else { next.min(self.next_reference()) };
            }
            let passed = self.count_to(next);
            let acted = self.actions.iter().any(|(tick, _)| *tick <= next);
            any |= acted || passed != Passed::default();
            self.pass(passed, env);
            if acted {
                self.act(env);
            }
            any |= self.arrive(env);
            if edges {
                self.refer(env);
                self.show(env);
            }
        }
        any
    }

    /// Moves the counter up to the tick `next`.
    fn count_to(&mut self, next: u64) -> Passed {
        let mut passed = Passed::default();
        if self.is_clocked() {
            let ticks = next.saturating_sub(self.at.max(self.start));
            (passed, self.phase) = self.counter.advance(self.phase.saturating_add(ticks));
        }
        self.at = next;
        passed
    }

    /// Carries out the actions that are due.
    fn act(&mut self, env: &mut Env<'_, '_>) {
        let mut actions = std::mem::take(&mut self.actions);
        actions.retain(|(tick, action)| {
            let due = *tick <= self.at;
            if due {
                self.carry_out(*action, env);
            }
            !due
        });
        actions.append(&mut self.actions);
        self.actions = actions;
    }

    /// One count of an external clock.
    pub(super) fn count(&mut self, direction: Option<bool>, env: &mut Env<'_, '_>) {
        if let Some(down) = direction {
            self.counter.mode = if down { Mode::Down } else { Mode::Up };
            self.counter.down = down;
        }
        if self.counts() {
            let (passed, phase) = self.counter.advance(self.phase.saturating_add(1));
            self.phase = phase;
            self.pass(passed, env);
        }
    }

    /// Flags, requests and outputs follow what the counter has passed.
    pub(super) fn pass(&mut self, passed: Passed, env: &mut Env<'_, '_>) {
        if passed == Passed::default() {
            return;
        }
        for channel in (0..self.channels).filter(|channel| passed.matches & 1 << channel != 0) {
            if self.is_output(channel) {
                self.compared(channel, env);
            }
        }
        self.meet(passed);
        if passed.update {
            self.updated(true, env);
        }
        if !self.counter.running && self.bank.get(CR1) & CEN != 0 {
            self.bank.flag(CR1, CEN, false);
            self.master(Event::Enable(false), env);
        }
    }

    /// The flag of `channel`.
    pub(super) const fn flag(channel: usize) -> u32 {
        if channel < 4 { 2 << channel } else { 1 << (12 + channel) }
    }

    /// A compare event of `channel`.
    pub(super) fn compared(&mut self, channel: usize, env: &mut Env<'_, '_>) {
        self.bank.flag(SR, Self::flag(channel), true);
        if channel == 0 {
            self.master(Event::Compare, env);
        }
        if channel < 4 && self.bank.get(DIER) & CCDE1 << channel != 0 && self.bank.get(CR2) & CCDS == 0 {
            self.request(self.requests.compare[channel], env);
        }
    }

    /// An update event, flagged or not.
    pub(super) fn updated(&mut self, flagged: bool, env: &mut Env<'_, '_>) {
        let dier = self.bank.get(DIER);
        if flagged {
            self.bank.flag(SR, UIF, true);
            if dier & UDE != 0 {
                self.request(self.requests.update, env);
            }
        }
        if self.bank.get(CR2) & CCDS != 0 {
            for channel in (0..4).filter(|channel| dier & CCDE1 << channel != 0) {
                self.request(self.requests.compare[channel], env);
            }
        }
        self.end_pulses();
        self.master(Event::Update, env);
        if self.bank.get(BDTR) & (AOE | MOE) == AOE && !self.is_broken() {
            self.bank.flag(BDTR, MOE, true);
        }
    }

    /// The counter and its prescaler begin anew, by software or by the slave mode (RM0490, TIMx_EGR.UG).
    pub(super) fn initialise(&mut self, env: &mut Env<'_, '_>) {
        let mut passed = Passed::default();
        // They restart even where UDIS holds the update back.
        self.counter.value = 0;
        let one_pulse = std::mem::take(&mut self.counter.one_pulse);
        self.counter.update(&mut passed);
        self.counter.one_pulse = one_pulse;
        match self.counter.mode {
            Mode::Up => {}
            Mode::Down => self.counter.value = self.counter.arr,
            Mode::Centre(_) => self.counter.down = false,
        }
        self.phase = 0;
        if passed.update {
            self.updated(self.bank.get(CR1) & URS == 0, env);
        }
    }

    /// The tick at which something happens that others can see.
    fn next_event(&self) -> u64 {
        let (sr, dier) = (self.bank.get(SR), self.bank.get(DIER));
        let updates = self.bank.get(CR1) & UDIS == 0;
        let commanded = self.bank.get(CR2) & CCDS != 0;
        let mut next = self.next_due();
        if !self.is_clocked() {
            return next;
        }
        let requests = dier & UDE != 0 || (commanded && dier & (CCDE1 * 15) != 0);
        let switches_on = self.bank.get(BDTR) & (AOE | MOE) == AOE && self.has_main_output;
        let mut to_end = updates && ((dier & 1 != 0 && sr & UIF == 0) || requests || switches_on || self.shows(2));
        to_end |= self.counter.one_pulse && self.shows(1);
        for channel in (0..self.channels).filter(|channel| self.is_output(*channel)) {
            let flag = Self::flag(channel);
            let interrupt = channel < 4 && dier & flag != 0 && sr & flag == 0;
            let request = channel < 4 && dier & CCDE1 << channel != 0 && !commanded;
            if interrupt || request || (channel == 0 && self.shows(3)) {
                match self.counter.steps_to_match(self.counter.ccr[channel]) {
                    Some(steps) => next = next.min(self.after_steps(steps)),
                    None => to_end = true,
                }
            }
        }
        if self.is_live() {
            next = next.min(self.next_reference());
        }
        if to_end { next.min(self.next_end()) } else { next }
    }

    /// Works out outputs, interrupts and the next event after anything may have changed.
    pub(super) fn settle(&mut self, env: &mut Env<'_, '_>) {
        self.refer(env);
        self.show(env);
        let (sr, dier) = (self.bank.get(SR), self.bank.get(DIER));
        // The flags of the other breaks share BIF's enable.
        let second = (sr >> 1 | sr >> 6) & super::registers::BIF;
        self.lines.drive((sr | second) & dier & 0xFF, env);
        let next = self.instant(self.next_event(), env.clocks());
        env.schedule(0, next);
    }
}
