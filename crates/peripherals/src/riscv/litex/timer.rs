//! The timer: a counter that counts down and is loaded again, and the time since power-on.
//!
//! Its event is the counter's arrival at zero, once: a counter that stays there asks no more. It stands at zero after a reset,
//! so that its event is pending then.

use cyclescope_machine::GapKind;

use crate::riscv::{Env, Riscv, Shared};
use crate::{Block, Write};

use super::{Bank, Events};

/// The block. Its wire: the event `zero`.
#[derive(Clone, Debug)]
pub struct Timer {
    bank: &'static Bank,
    load: u32,
    reload: u32,
    enabled: bool,
    /// The counter's value in the cycle `since`, from which it counts.
    from: u32,
    since: u64,
    latched: u32,
    uptime: u64,
    events: Events,
}

impl Timer {
    /// With the registers of `bank`.
    pub fn new(bank: &'static Bank) -> Self {
        Self {
            bank,
            load: 0,
            reload: 0,
            enabled: false,
            from: 0,
            since: 0,
            latched: 0,
            uptime: 0,
            events: Events::default(),
        }
    }

    fn value(&self, now: u64) -> u32 {
        if !self.enabled {
            return self.load;
        }
        let elapsed = now - self.since;
        match elapsed.checked_sub(u64::from(self.from) + 1) {
            None => self.from - elapsed as u32,
            Some(_) if self.reload == 0 => 0,
            Some(turns) => self.reload - (turns % (u64::from(self.reload) + 1)) as u32,
        }
    }

    /// Changes the settings with the counter at the value it has, and has the event come when it is due.
    fn change(&mut self, env: &mut Env<'_, '_>, change: impl FnOnce(&mut Self)) {
        let now = env.now();
        let old = self.value(now);
        change(self);
        if !self.enabled {
            // The counter follows what it is to be loaded with.
            self.from = self.load;
        } else {
            self.from = old;
        }
        self.since = now;
        if self.from == 0 && old != 0 {
            self.events.pending = 1;
        }
        self.settle(env);
    }

    /// Has the event come at the counter's next arrival at zero.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let left = match (self.enabled, self.value(env.now())) {
            (false, _) => u64::MAX,
            (true, 0) if self.reload == 0 => u64::MAX,
            (true, 0) => u64::from(self.reload) + 1,
            (true, value) => u64::from(value),
        };
        env.schedule(0, env.now().saturating_add(left));
        self.events.drive(env);
    }
}

impl Block<Riscv> for Timer {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let (name, word) = self.bank.name_at(offset);
        match name {
            "load" => self.load,
            "reload" => self.reload,
            "en" => u32::from(self.enabled),
            "value" => self.latched,
            "ev_status" => u32::from(self.value(env.now()) == 0),
            "ev_pending" => self.events.pending,
            "ev_enable" => self.events.enabled,
            "uptime_cycles" => (self.uptime >> (32 * word)) as u32,
            "update_value" | "uptime_latch" => 0,
            _ => self.bank.read_absent(offset, env),
        }
    }

    fn still(&self, offset: u32, _: u64, _: &Shared) -> Option<u64> {
        let name = self.bank.name_at(offset).0;
        matches!(name, "load" | "reload" | "en" | "value" | "ev_pending" | "ev_enable").then_some(u64::MAX)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match self.bank.name_at(offset).0 {
            "load" => self.change(env, |timer| timer.load = write.over(timer.load)),
            "reload" => self.change(env, |timer| timer.reload = write.over(timer.reload)),
            "en" => self.change(env, |timer| timer.enabled = write.ones() & 1 != 0),
            "update_value" => self.latched = self.value(env.now()),
            "uptime_latch" => self.uptime = env.now(),
            "ev_pending" => {
                self.events.pending &= !write.ones();
                self.events.drive(env);
            }
            "ev_enable" => {
                self.events.enabled = write.over(self.events.enabled) & 1;
                self.events.drive(env);
            }
            "value" | "ev_status" | "uptime_cycles" => {}
            _ => self.bank.absent(GapKind::RegisterWrite, offset, env),
        }
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        self.events.pending = 1;
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        *self = Self::new(self.bank);
        self.since = env.now();
        self.events.pending = 1;
        self.events.drive(env);
    }
}
