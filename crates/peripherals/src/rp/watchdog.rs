//! Watchdog, scratch registers and the generator of ticks (RP-008371-DS, "Watchdog").
//!
//! A reset by the watchdog is one of the whole part here, whatever PSM_WDSEL and RESETS_WDSEL select; the scratch registers and
//! the reason survive it.

use cyclescope_machine::GapKind;

use super::Message;
use super::registers::bank;
use crate::bank::some;
use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Modelled, Span, Tree, Words, Write};

const CTRL: u32 = 0x00;
const LOAD: u32 = 0x04;
const REASON: u32 = 0x08;
const SCRATCH0: u32 = 0x0C;
const TICK: u32 = 0x2C;

/// CTRL.
const TIME: u32 = 0x00FF_FFFF;
const ENABLE: u32 = 1 << 30;
const TRIGGER: u32 = 1 << 31;
/// TICK.
const CYCLES: u32 = 0x1FF;
const TICK_ENABLE: u32 = 1 << 9;
const RUNNING: u32 = 1 << 10;
/// REASON.
const BY_TIMER: u32 = 1 << 0;
const FORCED: u32 = 1 << 1;

/// The counter loses this many a tick (erratum RP2040-E1).
const A_TICK: u64 = 2;

/// The event at which the counter is 0.
const EXPIRED: u16 = 0;

/// The registers that are modelled in part: no debugger pauses the watchdog.
pub const PARTLY: &[Modelled] =
    &[some("CTRL", 0, &["TIME", "ENABLE", "TRIGGER"]).unseen(&["PAUSE_JTAG", "PAUSE_DBG0", "PAUSE_DBG1"])];

/// The block.
#[derive(Clone, Debug)]
pub struct Watchdog {
    bank: Bank,
    tick: Span,
    /// The counter at `since`.
    left: u64,
    since: Instant,
    reason: u32,
}

impl Watchdog {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: bank(instance.map, PARTLY), tick: Span::ZERO, left: 0, since: Instant::default(), reason: 0 }
    }

    fn counts(&self) -> bool {
        self.bank.get(CTRL) & ENABLE != 0 && self.tick != Span::ZERO
    }

    fn settle(&mut self, env: &Env<'_, '_>) {
        let now = env.now();
        if self.counts() {
            let (ticks, rest) = now.since(self.since).divide(self.tick);
            (self.left, self.since) = (self.left.saturating_sub(A_TICK * ticks), now.before(rest));
        } else {
            self.since = now;
        }
    }

    fn plan(&mut self, env: &mut Env<'_, '_>) {
        let at =
            if self.counts() { self.since.after(self.tick.times(self.left.div_ceil(A_TICK))) } else { Instant::NEVER };
        env.schedule(EXPIRED, at);
    }

    /// The period of ticks by TICK and the reference clock.
    fn set_tick(&mut self, env: &mut Env<'_, '_>) {
        let register = self.bank.get(TICK);
        let cycles = register & CYCLES;
        let on = register & TICK_ENABLE != 0 && cycles != 0;
        let tick = if on { env.clocks().tree().timer.times(cycles.into()) } else { Span::ZERO };
        self.bank.flag(TICK, RUNNING, on);
        self.settle(env);
        self.tick = tick;
        env.effect(Effect::Rp(Message::Tick { period: tick }));
        self.plan(env);
    }

    fn bite(&mut self, reason: u32, env: &mut Env<'_, '_>) {
        self.reason = reason;
        env.reset_part("WATCHDOG");
    }
}

impl Block<Words> for Watchdog {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        match offset {
            CTRL => {
                self.settle(env);
                self.bank.get(CTRL) & !TIME | self.left as u32 & TIME
            }
            REASON => self.reason,
            _ => self.bank.read(offset, env),
        }
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if offset == CTRL { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.settle(env);
        match offset {
            LOAD => self.left = u64::from(write.value & TIME),
            TICK => {
                let (old, new) = self.bank.write(TICK, write, env);
                self.bank.set(TICK, new & (CYCLES | TICK_ENABLE) | old & RUNNING);
                return self.set_tick(env);
            }
            _ => {
                let (old, new) = self.bank.write(offset, write, env);
                if offset == CTRL {
                    self.bank.set(CTRL, new & !(TIME | TRIGGER) | old & TIME);
                    if new & TRIGGER != 0 {
                        self.bite(FORCED, env);
                    } else if new & ENABLE != 0 && self.tick == Span::ZERO {
                        env.gap(GapKind::Setting, format_args!("WATCHDOG_CTRL.ENABLE without ticks: it never expires"));
                    }
                }
            }
        }
        self.plan(env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        self.settle(env);
        if self.counts() && self.left == 0 {
            self.bite(BY_TIMER, env);
        }
    }

    fn before_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.settle(env);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.set_tick(env);
    }

    fn refine(&mut self, times: u64) {
        self.since = self.since.refined(times);
        self.tick = self.tick.times(times);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        let scratch: Vec<u32> = (SCRATCH0..TICK).step_by(4).map(|offset| self.bank.get(offset)).collect();
        self.bank.reset();
        (SCRATCH0..TICK).step_by(4).zip(scratch).for_each(|(offset, value)| self.bank.set(offset, value));
        (self.left, self.since) = (0, env.now());
        if env.wires.reset_flag != Some(crate::ResetFlag::IndependentWatchdog) {
            self.reason = 0;
        }
        self.set_tick(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
