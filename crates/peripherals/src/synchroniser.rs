//! Synchronisers between a pin and the registers that show it: flip-flops of the block's clock.
//!
//! A pin's level changes at any time; a chain of flip-flops takes it over at the edges of the clock that come after.
//! The number of flip-flops is a timing row of the block that asks.

use cyclescope_machine::TimingRow;

use crate::{Env, Instant, Source};

/// Edges of pins on their way to a block's flags, in the order in which they arrive.
#[derive(Clone, Debug)]
pub struct Edges {
    clock: Source,
    stages: &'static TimingRow,
    event: u16,
    /// When, and which inputs rose and fell, one bit each. Edges before the same edge of the clock arrive together, so
    /// that there are never more of these than stages, as long as the clock stays.
    coming: Vec<(Instant, u64, u64)>,
}

impl Edges {
    /// A chain of as many flip-flops of `clock` as `stages` says, whose end has the block's event `event` come.
    pub const fn new(clock: Source, stages: &'static TimingRow, event: u16) -> Self {
        Self { clock, stages, event, coming: Vec::new() }
    }

    /// Inputs rose and fell now. An input that does both before the next edge of the clock does both when it arrives,
    /// since what catches an edge does not wait for the clock.
    pub fn push(&mut self, rose: u64, fell: u64, env: &mut Env<'_, '_>) {
        if rose | fell == 0 {
            return;
        }
        let stages = env.cycles(self.stages);
        let at = env.clocks().edge_after(self.clock, env.now(), stages);
        match self.coming.iter_mut().find(|(known, ..)| *known == at) {
            Some((_, rising, falling)) => (*rising, *falling) = (*rising | rose, *falling | fell),
            None => self.coming.push((at, rose, fell)),
        }
        self.schedule(env);
    }

    /// The inputs that have risen and fallen by now; the next event is scheduled.
    pub fn arrived(&mut self, env: &mut Env<'_, '_>) -> (u64, u64) {
        let now = env.now();
        let (mut rose, mut fell) = (0u64, 0u64);
        self.coming.retain(|(at, rising, falling)| {
            let due = *at <= now;
            if due {
                (rose, fell) = (rose | rising, fell | falling);
            }
            !due
        });
        self.schedule(env);
        (rose, fell)
    }

    /// The inputs that rose and fell, and whose edges have not arrived.
    pub fn on_their_way(&self) -> (u64, u64) {
        self.coming.iter().fold((0, 0), |(rose, fell), (_, rising, falling)| (rose | rising, fell | falling))
    }

    /// The inputs whose edges are on their way, which needs no clock any more.
    pub fn take(&mut self, env: &mut Env<'_, '_>) -> (u64, u64) {
        let all = self.on_their_way();
        self.reset(env);
        all
    }

    /// Forgets what is on its way.
    pub fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.coming.clear();
        env.cancel(self.event);
    }

    /// Has the next event come: after a push, and after a change of clocks, which what is on its way does not follow.
    pub fn schedule(&self, env: &mut Env<'_, '_>) {
        let next = self.coming.iter().map(|(at, ..)| *at).min().unwrap_or(Instant::NEVER);
        env.schedule(self.event, next);
    }

    /// The unit of time has become `times` smaller.
    pub fn refine(&mut self, times: u64) {
        for (at, ..) in &mut self.coming {
            *at = at.refined(times);
        }
    }
}

/// The levels of a port as its input register shows them: those that the clock has taken over.
#[derive(Clone, Copy, Debug)]
pub struct Sampled {
    clock: Source,
    stages: &'static TimingRow,
    /// Shown until `from`.
    before: u32,
    /// Shown from then on.
    after: u32,
    from: Instant,
}

impl Sampled {
    /// Inputs that are low, seen through as many flip-flops of `clock` as `stages` says.
    pub fn new(clock: Source, stages: &'static TimingRow) -> Self {
        Self { clock, stages, before: 0, after: 0, from: Instant::default() }
    }

    /// The levels are `levels` from now on. What holds at power-on was there long before the first instruction.
    pub fn change(&mut self, levels: u32, env: &Env<'_, '_>) {
        self.before = self.shown(env);
        self.after = levels;
        let power_on = env.context.now.get() == 0;
        let edge = env.clocks().edge_after(self.clock, env.now(), u64::from(self.stages.cycles));
        self.from = if power_on { env.now() } else { edge };
    }

    /// Returns the levels that the register shows to a read.
    #[inline]
    pub fn read(&self, env: &mut Env<'_, '_>) -> u32 {
        env.cycles(self.stages);
        self.shown(env)
    }

    /// The first time from `now` on at which the register may show other levels, if the pins stay as they are.
    pub fn still(&self, now: Instant) -> Instant {
        if now >= self.from { Instant::NEVER } else { self.from }
    }

    #[inline]
    fn shown(&self, env: &Env<'_, '_>) -> u32 {
        if env.now() >= self.from { self.after } else { self.before }
    }

    /// The unit of time has become `times` smaller.
    pub fn refine(&mut self, times: u64) {
        self.from = self.from.refined(times);
    }
}
