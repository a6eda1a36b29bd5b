//! Watchdog (K20P64M72SF1RM, "Watchdog Timer (WDOG)"): on after reset, and to be configured within a window of time
//! that an unlock sequence opens.
//!
//! Modelled: the unlock and refresh sequences with their times, the configuration window, one write a register in it,
//! the time-out, the window, the interrupt before the reset. The test modes and writes of single bytes are not, and
//! are named.

use cyclescope_machine::{GapKind, TimingRow};

use crate::bank::{but, some};
use crate::{Bank, Block, Env, Instance, Instant, Lines, Modelled, Source, Span, Tree, Words, Write};

use super::registers::{bank, half};

/// STCTRLH and STCTRLL; TOVALH and TOVALL; WINH and WINL; REFRESH and UNLOCK; TMROUTH and TMROUTL; RSTCNT and PRESC.
const STCTRL: u32 = 0x00;
const TOVAL: u32 = 0x04;
const WIN: u32 = 0x08;
const KEYS: u32 = 0x0C;
const TMROUT: u32 = 0x10;
const PRESC: u32 = 0x14;

const WDOGEN: u32 = 1 << 0;
const CLKSRC: u32 = 1 << 1;
const IRQRSTEN: u32 = 1 << 2;
const WINEN: u32 = 1 << 3;
const ALLOWUPDATE: u32 = 1 << 4;
const INTFLG: u32 = 1 << 31;

/// "Unlocking and updating the watchdog", "Refreshing the watchdog".
const UNLOCK: [u16; 2] = [0xC520, 0xD928];
const REFRESH: [u16; 2] = [0xA602, 0xB480];

/// The modelled registers and fields, with the values after reset ("WDOG memory map").
pub const MODEL: &[Modelled] = &[
    but("STCTRLH_STCTRLL", 0x0001_01D3, &["STCTRLH.TESTWDOG", "STCTRLH.TESTSEL", "STCTRLH.BYTESEL"]),
    some("TOVALH_TOVALL", 0x4B4C_004C, &["TOVALH.TOVALHIGH", "TOVALL.TOVALLOW"]),
    some("WINH_WINL", 0x0010_0000, &["WINH.WINHIGH", "WINL.WINLOW"]),
    some("REFRESH_UNLOCK", 0xD928_B480, &["REFRESH.WDOGREFRESH", "UNLOCK.WDOGUNLOCK"]),
    some("TMROUTH_TMROUTL", 0, &["TMROUTH.TIMEROUTHIGH", "TMROUTL.TIMEROUTLOW"]),
    some("RSTCNT_PRESC", 0x0400_0000, &["RSTCNT.RSTCNT", "PRESC.PRESCVAL"]),
];

/// The watchdog's times.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "wdog.configuration_time",
        "periods of the bus clock after reset, or after an unlock, in which the watchdog takes its settings",
        256,
        "K20P64M72SF1RM, WDOG, The Watchdog Configuration Time (WCT)",
    ),
    TimingRow::documented(
        "wdog.sequence",
        "periods of the bus clock in which the second word of a sequence must follow the first",
        20,
        "K20P64M72SF1RM, WDOG, Unlocking and updating the watchdog; Refreshing the watchdog",
    ),
];

/// Events of the block.
const TIMED_OUT: u16 = 0;
const WINDOW_ENDS: u16 = 1;
const RESETS: u16 = 2;

/// The progress of the program in unlocking the watchdog's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Window {
    /// Reset is over and nothing was unlocked yet.
    AfterReset,
    /// Settings take nothing.
    Closed,
    /// The first word came at this time.
    Half(Instant),
    /// Settings are taken once each: the half-words already written, one bit each.
    Open(u16),
}

/// The block.
#[derive(Clone, Debug)]
pub struct Wdog {
    bank: Bank,
    lines: Lines,
    window: Window,
    window_ends: Instant,
    /// When the first word of a refresh came.
    half_refreshed: Instant,
    /// When the counter was 0.
    anchor: Instant,
    resets_at: Instant,
}

impl Wdog {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: bank(instance.map, MODEL),
            lines: Lines::new(instance, &[("WATCHDOG", u32::MAX)]),
            window: Window::AfterReset,
            window_ends: Instant::NEVER,
            half_refreshed: Instant::NEVER,
            anchor: Instant::NEVER,
            resets_at: Instant::NEVER,
        }
    }

    fn control(&self) -> u32 {
        self.bank.get(STCTRL)
    }

    /// A register whose upper half-word comes first.
    fn long(&self, offset: u32) -> u64 {
        u64::from(self.bank.get(offset).rotate_left(16))
    }

    fn bus(env: &Env<'_, '_>) -> Span {
        env.clocks().period_of(Source::Pclk)
    }

    /// One step of the counter: the low-power oscillator or the bus clock, divided by 1 to 8.
    fn step(&self, env: &Env<'_, '_>) -> Span {
        let source = if self.control() & CLKSRC != 0 { Source::Pclk } else { Source::Lsi };
        env.clocks().period_of(source).times(u64::from(self.bank.get(PRESC) >> 24 & 7) + 1)
    }

    fn counter(&self, env: &Env<'_, '_>) -> u64 {
        if self.control() & WDOGEN == 0 { 0 } else { env.now().since(self.anchor).divide(self.step(env)).0 }
    }

    fn restart(&mut self, env: &mut Env<'_, '_>) {
        self.anchor = env.now();
        self.schedule(env);
    }

    fn schedule(&mut self, env: &mut Env<'_, '_>) {
        let at = if self.control() & WDOGEN != 0 && self.resets_at == Instant::NEVER {
            self.anchor.after(self.step(env).times(self.long(TOVAL)))
        } else {
            Instant::NEVER
        };
        env.schedule(TIMED_OUT, at);
        env.schedule(WINDOW_ENDS, self.window_ends);
        env.schedule(RESETS, self.resets_at);
    }

    /// The watchdog bites: at once, or after its interrupt.
    fn bite(&mut self, cause: &'static str, env: &mut Env<'_, '_>) {
        if self.control() & IRQRSTEN == 0 {
            *env.context.reset = Some(cause);
            return;
        }
        if self.resets_at == Instant::NEVER {
            self.bank.flag(STCTRL, INTFLG, true);
            self.lines.drive(1, env);
            self.resets_at = env.now().after(Self::bus(env).times(u64::from(ROWS[0].cycles)));
            self.schedule(env);
        }
    }

    fn sequence(env: &Env<'_, '_>, first: Instant) -> bool {
        env.now().since(first) <= Self::bus(env).times(u64::from(ROWS[1].cycles))
    }

    fn unlock(&mut self, key: u16, env: &mut Env<'_, '_>) {
        if !UNLOCK.contains(&key) {
            self.bite("WDOG: a wrong word in the unlock sequence", env);
            return;
        }
        if self.control() & ALLOWUPDATE == 0 {
            return;
        }
        match self.window {
            Window::AfterReset | Window::Closed if key == UNLOCK[0] => {
                if self.window == Window::AfterReset {
                    self.window_ends = Instant::NEVER;
                }
                self.window = Window::Half(env.now());
            }
            Window::Half(first) if key == UNLOCK[1] => {
                if Self::sequence(env, first) {
                    self.window = Window::Open(0);
                    self.window_ends = env.now().after(Self::bus(env).times(u64::from(ROWS[0].cycles)));
                } else {
                    self.bite("WDOG: the unlock sequence took too long", env);
                }
            }
            _ => {}
        }
        self.schedule(env);
    }

    fn refresh(&mut self, key: u16, env: &mut Env<'_, '_>) {
        // Within the configuration time a refresh goes undetected.
        if matches!(self.window, Window::Half(_) | Window::Open(_)) || self.control() & WDOGEN == 0 {
            return;
        }
        if key == REFRESH[0] && self.half_refreshed == Instant::NEVER {
            self.half_refreshed = env.now();
        } else if key == REFRESH[1] && self.half_refreshed != Instant::NEVER {
            let first = std::mem::replace(&mut self.half_refreshed, Instant::NEVER);
            if !Self::sequence(env, first) {
                self.bite("WDOG: the refresh sequence took too long", env);
            } else if self.control() & WINEN != 0 && self.counter(env) < self.long(WIN) {
                self.bite("WDOG: refreshed before its window", env);
            } else {
                self.restart(env);
            }
        } else {
            self.bite("WDOG: a wrong word in the refresh sequence", env);
        }
    }

    /// A setting, if the window is open and it was not written before.
    fn set(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let mut lanes = 0;
        for lane in 0..2 {
            if half(write, lane).is_none() {
                continue;
            }
            let bit = 1 << (offset / 2 + lane);
            if let Window::Open(written) = &mut self.window
                && *written & bit == 0
            {
                *written |= bit;
                lanes |= 0xFFFF << (lane * 16);
            } else {
                env.gap(GapKind::Setting, format_args!("WDOG written outside its configuration time: lost"));
            }
        }
        if lanes == 0 {
            return;
        }
        self.bank.write(offset, Write { value: write.value, lanes }, env);
        self.restart(env);
    }
}

impl Block<Words> for Wdog {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let word = offset & !3;
        if word == TMROUT {
            let counter = self.counter(env) as u32;
            self.bank.set(TMROUT, counter.rotate_left(16));
        }
        self.bank.read(word, env)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if half(write, 0).is_none() && half(write, 1).is_none() {
            env.gap(GapKind::Setting, format_args!("WDOG: a single byte written is not modelled: lost"));
            return;
        }
        match offset {
            KEYS => {
                if let Some(key) = half(write, 0) {
                    self.refresh(key, env);
                }
                if let Some(key) = half(write, 1) {
                    self.unlock(key, env);
                }
            }
            PRESC => {
                if let Some(count) = half(write, 0) {
                    let kept = self.bank.get(PRESC) & !u32::from(count);
                    self.bank.set(PRESC, kept);
                }
                if half(write, 1).is_some() {
                    self.set(PRESC, Write { value: write.value, lanes: 0xFFFF_0000 }, env);
                }
            }
            STCTRL => {
                if let Some(status) = half(write, 1) {
                    let flag = if u32::from(status) << 16 & INTFLG != 0 { INTFLG } else { 0 };
                    self.bank.flag(STCTRL, flag, false);
                    self.lines.drive(self.control() & INTFLG, env);
                }
                if half(write, 0).is_some() {
                    self.set(STCTRL, Write { value: write.value, lanes: 0xFFFF }, env);
                }
            }
            TOVAL | WIN => self.set(offset, write, env),
            _ => {}
        }
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        match kind {
            TIMED_OUT if self.counter(env) >= self.long(TOVAL) && self.control() & WDOGEN != 0 => {
                self.bite("WDOG: timed out", env);
            }
            WINDOW_ENDS if env.now() >= self.window_ends => {
                self.window_ends = Instant::NEVER;
                match std::mem::replace(&mut self.window, Window::Closed) {
                    Window::AfterReset if self.control() & ALLOWUPDATE != 0 => {
                        self.bite("WDOG: not unlocked within 256 bus clocks after reset", env);
                    }
                    Window::Open(0) => self.bite("WDOG: unlocked and then not configured", env),
                    _ => {}
                }
            }
            RESETS if env.now() >= self.resets_at => *env.context.reset = Some("WDOG: after its interrupt"),
            _ => {}
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        // RSTCNT counts the watchdog's resets and is cleared by power-on only.
        let count = self.bank.get(PRESC) & 0xFFFF;
        self.bank.reset();
        self.bank.flag(PRESC, count, true);
        self.window = Window::AfterReset;
        self.window_ends = env.now().after(Self::bus(env).times(u64::from(ROWS[0].cycles)));
        (self.half_refreshed, self.resets_at) = (Instant::NEVER, Instant::NEVER);
        self.lines.drive(0, env);
        self.restart(env);
    }

    fn refine(&mut self, times: u64) {
        if let Window::Half(first) = &mut self.window {
            *first = first.refined(times);
        }
        self.window_ends = self.window_ends.refined(times);
        self.half_refreshed = self.half_refreshed.refined(times);
        self.anchor = self.anchor.refined(times);
        self.resets_at = self.resets_at.refined(times);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        let (from, to, now) = (old.pclk, env.clocks().tree().pclk, env.now());
        self.window_ends = self.window_ends.rescaled(now, from, to);
        self.resets_at = self.resets_at.rescaled(now, from, to);
        if self.control() & CLKSRC != 0 && self.anchor != Instant::NEVER {
            self.anchor = now.before(now.since(self.anchor).rescaled(from, to));
        }
        self.schedule(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
