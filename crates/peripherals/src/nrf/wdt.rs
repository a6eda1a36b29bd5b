//! Watchdog (nRF52840 PS, "WDT — Watchdog timer"): counts LFCLK down, keeps it running, and outlives a reset by software.

use cyclescope_machine::TimingRow;

use crate::bank::but;
use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Modelled, ResetFlag, Span, Tree, Words, Write};

use super::signals::{Signals, Tasked};

const TIMEOUT: u32 = 0x100;
const RUNSTATUS: u32 = 0x400;
const REQSTATUS: u32 = 0x404;
const CRV: u32 = 0x504;
const RREN: u32 = 0x508;
const CONFIG: u32 = 0x50C;
const RR: u32 = 0x600;
const RR_END: u32 = RR + 4 * 8;

/// The value that asks for a reload.
const RELOAD: u32 = 0x6E52_4635;
/// The least value of CRV that counts.
const LEAST: u32 = 0xF;
/// CONFIG.SLEEP: counts while the core sleeps.
const SLEEP: u32 = 1 << 0;

/// The registers that are modelled in part. No debugger halts the core.
pub const PARTLY: &[Modelled] = &[but("CONFIG", 1, &["HALT"]).unseen(&["HALT"])];

/// The time of a reset.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "wdt.reset",
    "periods of LFCLK from TIMEOUT to the reset, if the event's interrupt is enabled",
    2,
    "nRF52840 PS v1.7, WDT, Watchdog reset; the figure is from memory and was not read in the document",
)];

const EXPIRES: u16 = 0;
const RESETS: u16 = 1;

/// The block.
#[derive(Clone, Debug)]
pub struct Wdt {
    signals: Signals,
    expires_at: Instant,
    resets_at: Instant,
    /// The time left while the core sleeps and the counter stands.
    paused: Option<Span>,
}

impl Wdt {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        Self {
            signals: Signals::new(instance, PARTLY, &[]),
            expires_at: Instant::NEVER,
            resets_at: Instant::NEVER,
            paused: None,
        }
    }

    fn runs(&self) -> bool {
        self.signals.get(RUNSTATUS) != 0
    }

    fn lfclk(clocks: &Clocks) -> Span {
        clocks.period(clocks.oscillators().lsi)
    }

    /// CRV + 1 periods of LFCLK.
    fn reload(&mut self, env: &mut Env<'_, '_>) {
        let periods = u64::from(self.signals.get(CRV).max(LEAST)) + 1;
        self.expires_at = env.now().after(Self::lfclk(env.clocks()).times(periods));
        self.signals.bank.set(REQSTATUS, self.signals.get(RREN));
        self.schedule(env);
    }

    fn schedule(&self, env: &mut Env<'_, '_>) {
        env.schedule(EXPIRES, self.expires_at);
        env.schedule(RESETS, self.resets_at);
    }

    /// The core goes to sleep (`true`) or wakes: the counter may stand meanwhile.
    pub fn sleeps(&mut self, asleep: bool, env: &mut Env<'_, '_>) {
        if !self.runs() || self.resets_at != Instant::NEVER {
            return;
        }
        if asleep && self.signals.get(CONFIG) & SLEEP == 0 {
            self.paused = Some(self.expires_at.since(env.now()));
            self.expires_at = Instant::NEVER;
        } else if let Some(left) = self.paused.take() {
            self.expires_at = env.now().after(left);
        }
        self.schedule(env);
    }
}

impl Tasked for Wdt {
    fn signals(&mut self) -> &mut Signals {
        &mut self.signals
    }

    fn task(&mut self, _: u32, env: &mut Env<'_, '_>) {
        if !self.runs() {
            self.signals.bank.set(RUNSTATUS, 1);
            env.effect(Effect::ForceLsi);
            self.reload(env);
        }
    }
}

impl Block<Words> for Wdt {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.signals.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            // Settings are locked once it runs.
            CRV | RREN | CONFIG if self.runs() => {}
            RR..RR_END => {
                let request = 1 << ((offset - RR) / 4);
                if write.value == RELOAD && self.runs() && self.resets_at == Instant::NEVER {
                    self.signals.bank.flag(REQSTATUS, request, false);
                    if self.signals.get(REQSTATUS) == 0 && self.signals.get(RREN) & request != 0 {
                        self.reload(env);
                    }
                }
            }
            _ => {
                self.access(offset, write, env);
                if offset == RREN {
                    self.signals.bank.set(REQSTATUS, self.signals.get(RREN));
                }
            }
        }
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        if kind == EXPIRES && env.now() >= self.expires_at {
            self.expires_at = Instant::NEVER;
            self.raise(TIMEOUT, env);
            let wait = if self.signals.interrupts(TIMEOUT) { env.cycles(&ROWS[0]) } else { 0 };
            self.resets_at = env.now().after(Self::lfclk(env.clocks()).times(wait));
            if wait == 0 {
                return env.reset_part("WDT");
            }
            self.schedule(env);
        }
        if kind == RESETS && env.now() >= self.resets_at {
            env.reset_part("WDT");
        }
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.schedule(env);
    }

    fn refine(&mut self, times: u64) {
        (self.expires_at, self.resets_at) = (self.expires_at.refined(times), self.resets_at.refined(times));
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        // "Reset behavior": a reset by software leaves the watchdog alone.
        if self.runs() && env.wires.reset_flag == Some(ResetFlag::Software) {
            return env.effect(Effect::ForceLsi);
        }
        self.signals.reset(env);
        (self.expires_at, self.resets_at, self.paused) = (Instant::NEVER, Instant::NEVER, None);
        self.signals.bank.set(RREN, 1);
        self.signals.bank.set(REQSTATUS, 1);
        self.schedule(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.signals.bank)
    }
}
