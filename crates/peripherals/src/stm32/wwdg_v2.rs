//! System window watchdog (RM0490, "System window watchdog (WWDG)"; RM0390 and RM0008, "Window watchdog"): counts PCLK / 4096 / 2^WDGTB down.

use crate::bank::all;
use crate::{Bank, Block, Env, Field, Instance, Instant, Lines, Modelled, Source, Span, Tree, Words, Write};

const CR: u32 = 0x00;
const CFR: u32 = 0x04;
const SR: u32 = 0x08;

const WDGA: u32 = 1 << 7;
const EWI: u32 = 1 << 9;

/// The modelled registers and fields, with the values after reset (RM0490, "WWDG register map").
pub const MODEL: &[Modelled] = &[all("CR", 0x7F), all("CFR", 0x7F), all("SR", 0)];

/// The block.
#[derive(Clone, Debug)]
pub struct WwdgV2 {
    bank: Bank,
    lines: Lines,
    /// WDGTB in CFR, which lies elsewhere on older parts.
    prescaler: Field,
    /// When the counter had the value in CR.
    anchor: Instant,
}

impl WwdgV2 {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        let lines = Lines::new(instance, &[("GLOBAL", u32::MAX)]);
        let declared =
            instance.map.register("CFR").and_then(|cfr| cfr.fields.iter().find(|field| field.name == "WDGTB"));
        let prescaler = declared.copied().unwrap_or(Field::new("WDGTB", 11, 3));
        Self { bank: Bank::new(instance.map, MODEL), lines, prescaler, anchor: Instant::NEVER }
    }

    fn active(&self) -> bool {
        self.bank.get(CR) & WDGA != 0
    }

    fn step(&self, pclk: Span) -> Span {
        pclk.times(4096 << (self.bank.get(CFR) >> self.prescaler.low & self.prescaler.mask() >> self.prescaler.low))
    }

    /// Brings the counter in CR up to now.
    fn sync(&mut self, env: &mut Env<'_, '_>) {
        if !self.active() || self.anchor == Instant::NEVER {
            return;
        }
        let step = self.step(env.clocks().period_of(Source::Pclk));
        let (steps, rest) = env.now().since(self.anchor).divide(step);
        let value = self.bank.get(CR);
        let counter = u64::from(value & 0x7F);
        if steps > 0 {
            let now = counter.saturating_sub(steps);
            if counter > 0x40 && now <= 0x40 {
                self.bank.set(SR, 1);
            }
            if now < 0x40 {
                *env.context.reset = Some("WWDG");
            }
            self.bank.set(CR, (value & !0x7F) | now as u32);
            self.anchor = env.now().before(rest);
        }
        self.drive(env);
    }

    fn schedule(&mut self, env: &mut Env<'_, '_>) {
        let counter = u64::from(self.bank.get(CR) & 0x7F);
        let step = self.step(env.clocks().period_of(Source::Pclk));
        let until = if counter > 0x40 { counter - 0x40 } else { 1 };
        let at = if self.active() { self.anchor.after(step.times(until)) } else { Instant::NEVER };
        env.schedule(0, at);
    }

    fn drive(&mut self, env: &mut Env<'_, '_>) {
        let active = self.bank.get(CFR) & EWI != 0 && self.bank.get(SR) & 1 != 0;
        self.lines.drive(u32::from(active), env);
    }
}

impl Block<Words> for WwdgV2 {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        self.sync(env);
        self.bank.read(offset, env)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.sync(env);
        match offset {
            CR => {
                let (old, new) = self.bank.write(CR, write, env);
                // Once started, only a reset stops it.
                self.bank.set(CR, new | (old & WDGA));
                let too_early = old & WDGA != 0 && old & 0x7F > self.bank.get(CFR) & 0x7F;
                if too_early {
                    *env.context.reset = Some("WWDG: refreshed before its window");
                } else if (new | old) & WDGA != 0 && new & 0x40 == 0 {
                    *env.context.reset = Some("WWDG: counter below 0x40");
                }
                self.anchor = env.now();
            }
            SR => {
                let kept = self.bank.get(SR) & !write.zeros();
                self.bank.set(SR, kept);
            }
            _ => {
                self.bank.write(offset, write, env);
            }
        }
        self.schedule(env);
        self.drive(env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        self.sync(env);
        self.schedule(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.anchor = Instant::NEVER;
        env.cancel(0);
        self.drive(env);
    }

    fn before_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.sync(env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        if self.active() {
            let part = env.now().since(self.anchor).rescaled(old.pclk, env.clocks().tree().pclk);
            self.anchor = env.now().before(part);
        }
        self.schedule(env);
    }

    fn refine(&mut self, times: u64) {
        self.anchor = self.anchor.refined(times);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
