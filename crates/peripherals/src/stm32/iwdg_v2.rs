//! Independent watchdog (RM0490, "Independent watchdog (IWDG)"; RM0390 and RM0008, the same chapter, without a window):
//! counts LSI down, started by software.
//!
//! Updates of PR, RLR and WINR take effect at once; on silicon they take some LSI periods, during which the flags of
//! SR are set.

use crate::bank::all;
use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Modelled, Span, Tree, Words, Write};

const KR: u32 = 0x00;
const PR: u32 = 0x04;
const RLR: u32 = 0x08;
const WINR: u32 = 0x10;

/// The modelled registers and fields, with the values after reset (RM0490, "IWDG register map").
pub const MODEL: &[Modelled] = &[all("KR", 0), all("PR", 0), all("RLR", 0xFFF), all("SR", 0), all("WINR", 0xFFF)];

/// Keys (RM0490, "IWDG key register").
const RELOAD: u32 = 0xAAAA;
const UNLOCK: u32 = 0x5555;
const START: u32 = 0xCCCC;

/// The block.
#[derive(Clone, Debug)]
pub struct IwdgV2 {
    bank: Bank,
    /// `true` if it has a window register.
    windowed: bool,
    unlocked: bool,
    started: bool,
    /// When the counter was last loaded.
    loaded_at: Instant,
}

impl IwdgV2 {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: Bank::new(instance.map, MODEL),
            windowed: instance.map.register("WINR").is_some(),
            unlocked: false,
            started: false,
            loaded_at: Instant::NEVER,
        }
    }

    /// One step of the counter: LSI divided by 4 to 256 (PR).
    fn step(&self, env: &Env<'_, '_>) -> Span {
        let lsi = env.clocks().period(env.clocks().oscillators().lsi);
        lsi.times(4 << self.bank.get(PR).min(6))
    }

    fn reload(&mut self, env: &mut Env<'_, '_>) {
        let step = self.step(env);
        // The older watchdog has no window.
        let window = if self.windowed { self.bank.get(WINR) } else { 0xFFF };
        let counter =
            u64::from(self.bank.get(RLR)).saturating_sub(env.always_now().since(self.loaded_at).divide(step).0);
        if self.started && window < 0xFFF && counter > u64::from(window) {
            *env.context.reset = Some("IWDG: refreshed before its window");
            return;
        }
        self.loaded_at = env.always_now();
        self.schedule(env);
    }

    fn schedule(&mut self, env: &mut Env<'_, '_>) {
        let timeout = self.step(env).times(u64::from(self.bank.get(RLR)) + 1);
        let at = if self.started { self.loaded_at.after(timeout) } else { Instant::NEVER };
        env.schedule_always(0, at);
    }
}

impl Block<Words> for IwdgV2 {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            KR => {
                self.unlocked = write.value & 0xFFFF == UNLOCK;
                match write.value & 0xFFFF {
                    RELOAD => self.reload(env),
                    START if !self.started => {
                        self.started = true;
                        env.effect(Effect::ForceLsi);
                        self.loaded_at = env.always_now();
                        self.schedule(env);
                    }
                    _ => {}
                }
            }
            PR | RLR | WINR if !self.unlocked => {}
            WINR if self.windowed => {
                // A new window also reloads the counter (RM0490, "Window option").
                self.bank.write(offset, write, env);
                self.loaded_at = env.always_now();
                self.schedule(env);
            }
            _ => {
                self.bank.write(offset, write, env);
                if offset == PR {
                    self.schedule(env);
                }
            }
        }
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        let timeout = self.step(env).times(u64::from(self.bank.get(RLR)) + 1);
        if self.started && env.always_now() >= self.loaded_at.after(timeout) {
            *env.context.reset = Some("IWDG");
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        (self.unlocked, self.started) = (false, false);
        env.cancel(0);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.schedule(env);
    }

    fn refine(&mut self, times: u64) {
        self.loaded_at = self.loaded_at.refined(times);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
