//! Oscillators and phase-locked loops (RP-008371-DS, "Crystal Oscillator (XOSC)", "Ring Oscillator (ROSC)", "PLL"): each tells
//! the clock generators what it makes.
//!
//! A ring oscillator has no nominal frequency: its rows are what it makes after reset. Its drive strengths and its range are not
//! modelled. Its random bit comes from a generator of Marsaglia 2003 (xorshift32) with the seed [`SEED`], whose state outlives resets:
//! a step a read while the ring runs, and the same bit as before while it does not. A program that runs from the ring itself gets the
//! same bits, where silicon's would follow the reads.
//!
//! A dormant oscillator stops, and with it all that comes of it. Pins wake it: a ring at once ("starts immediately"), a crystal after the
//! time of STARTUP. If the system's clock comes of it, everything but what wakes stands meanwhile; what another oscillator feeds does
//! too, which is named.

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{GapKind, TimingRow};

use super::Message;
use super::registers::{bank, ones};
use crate::bank::some;
use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Modelled, Pll, Span, Tree, Words, Write};

/// XOSC_STATUS; ROSC has its own at [`ROSC_STATUS`].
const XOSC_STATUS: u32 = 4;
const XOSC_DORMANT: u32 = 8;
const XOSC_STARTUP: u32 = 0xC;
const XOSC_COUNT: u32 = 0x1C;
const ROSC_DORMANT: u32 = 0xC;
const ROSC_DIV: u32 = 0x10;
const ROSC_STATUS: u32 = 0x18;
const ROSC_RANDOMBIT: u32 = 0x1C;
const ROSC_COUNT: u32 = 0x20;
const CTRL: u32 = 0;

/// CTRL.ENABLE, and its values.
const ENABLE_SHIFT: u32 = 12;
const ENABLE: u32 = 0xFAB;
const DISABLE: u32 = 0xD1E;
/// CTRL.FREQ_RANGE of ROSC but for the low one, with the stages of the ring that each uses.
const RANGES: &[(u32, u32)] = &[(0xFA5, 6), (0xFA7, 4), (0xFA6, 2)];
/// The stages of the low range.
const STAGES: u32 = 8;
/// STATUS.
const ENABLED: u32 = 1 << 12;
const DIV_RUNNING: u32 = 1 << 16;
const BADWRITE: u32 = 1 << 24;
const STABLE: u32 = 1 << 31;
/// The state of the random bit at power-on.
pub const SEED: u32 = 0x2040;
/// DORMANT, "coma" and "wake".
const PAUSE: u32 = 0x636F_6D61;
const WAKE: u32 = 0x7761_6B65;

/// A loop's registers.
const CS: u32 = 0;
const PWR: u32 = 4;
const FBDIV_INT: u32 = 8;
const PRIM: u32 = 0xC;
const LOCK: u32 = 1 << 31;
const BYPASS: u32 = 1 << 8;
/// PWR.PD, POSTDIVPD and VCOPD.
const PD: u32 = 1 << 0;
const POSTDIVPD: u32 = 1 << 3;
const VCOPD: u32 = 1 << 5;
/// PRIM after reset: both dividers 7.
const PRIM_RESET: u32 = 0x0007_7000;

/// The registers of XOSC that are modelled in part.
pub const XOSC_PARTLY: &[Modelled] = &[];

/// The same of ROSC.
pub const ROSC_PARTLY: &[Modelled] = &[
    some("FREQA", 0, &["PASSWD"]),
    some("FREQB", 0, &["PASSWD"]),
    some("PHASE", 0, &[]).unseen(&["SHIFT", "FLIP", "ENABLE", "PASSWD"]),
];

/// The same of a loop: nothing is achieved with DSMPD.
pub const PLL_PARTLY: &[Modelled] = &[];

/// The frequency of the ring oscillator, and the times of starting.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "rosc.frequency",
        "hertz of the ring oscillator as reset leaves it",
        6_500_000,
        "RP-008371-DS, Ring Oscillator (ROSC): typically 6.5 MHz, 1.8 to 12 MHz over process, voltage and temperature",
    ),
    TimingRow::assumed(
        "rosc.stages",
        "1: the period of the ring oscillator is as long as it has stages: 8, 6, 4 or 2 by its range",
        1,
        "register description of RP-008371-DS in rp-pac 7.0.0, ROSC_CTRL.FREQ_RANGE, has the stages and no frequencies",
    ),
    TimingRow::documented(
        "xosc.startup_step",
        "periods of the crystal that a step of STARTUP.DELAY is long",
        256,
        "register description of RP-008371-DS in rp-pac 7.0.0, XOSC_STARTUP",
    ),
    TimingRow::assumed(
        "pll.lock",
        "periods of the divided reference clock until a loop locks",
        500,
        "RP-008371-DS, PLL, gives no figure for the time to LOCK; the order of magnitude of such loops is taken",
    ),
];

const ROSC_FREQUENCY: usize = 0;
const STAGE: usize = 1;
const STARTUP_STEP: usize = 2;
const LOCK_TIME: usize = 3;

/// Events.
const READY: u16 = 0;
const COUNTED: u16 = 1;

/// The frequency of the ring oscillator with DIV as reset leaves it, for the oscillators of a part.
pub const fn rosc_frequency() -> Hertz {
    Hertz::new(ROWS[ROSC_FREQUENCY].cycles as u64)
}

/// A source of clocks for the generators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// The ring oscillator.
    Rosc,
    /// The crystal oscillator.
    Xosc,
    /// The loop for the system clock.
    PllSys,
    /// The loop for USB.
    PllUsb,
    /// The clock at the first clock input.
    Gpin0,
    /// The same at the second.
    Gpin1,
}

/// The clock that an oscillator or a loop makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// The loop; one without factors for an oscillator.
    pub pll: Pll,
    /// The divider behind it, at least 1.
    pub divider: u32,
}

impl Output {
    /// The period.
    pub fn period(&self, clocks: &Clocks) -> Span {
        self.pll.period(clocks).times(u64::from(self.divider))
    }
}

/// An oscillator or a loop.
#[derive(Clone, Debug)]
pub struct Oscillator {
    bank: Bank,
    made: Made,
    /// When it is stable, or a loop locked.
    ready: Instant,
    /// When COUNT is 0.
    counted: Instant,
    /// State of the random bit.
    noise: u32,
    /// It has stopped until something wakes it.
    dormant: bool,
    /// The whole part stands with it.
    halts: bool,
}

impl Oscillator {
    /// The oscillator or loop `instance` after power-on.
    pub fn new(instance: &Instance) -> Self {
        let (made, partly) = match instance.name {
            "XOSC" => (Made::Xosc, XOSC_PARTLY),
            "ROSC" => (Made::Rosc, ROSC_PARTLY),
            "PLL_USB" => (Made::PllUsb, PLL_PARTLY),
            _ => (Made::PllSys, PLL_PARTLY),
        };
        let bank = bank(instance.map, partly);
        Self { bank, made, ready: Instant::NEVER, counted: Instant::NEVER, noise: SEED, dormant: false, halts: false }
    }

    fn is_pll(&self) -> bool {
        matches!(self.made, Made::PllSys | Made::PllUsb)
    }

    /// The divider of the ring oscillator; invalid values divide by 31.
    fn rosc_divider(&self) -> u32 {
        match self.bank.get(ROSC_DIV).wrapping_sub(0xAA0) {
            0 => 32,
            divider @ 1..32 => divider,
            _ => 31,
        }
    }

    /// The stages of the ring.
    fn stages(&self) -> u32 {
        let range = self.bank.get(CTRL) & 0xFFF;
        RANGES.iter().find(|(known, _)| *known == range).map_or(STAGES, |(_, stages)| *stages)
    }

    /// The clock of the crystal, which feeds the loops.
    fn crystal(env: &Env<'_, '_>) -> Option<Hertz> {
        env.clocks().oscillators().hse
    }

    /// Tells whether a loop's oscillator is on.
    fn is_on(&self) -> bool {
        self.bank.get(PWR) & (PD | VCOPD) == 0 && self.bank.get(FBDIV_INT) != 0
    }

    /// The clock that comes out now.
    fn output(&self, env: &Env<'_, '_>) -> Option<Output> {
        let plain = |clock| Output { pll: Pll::unity(clock), divider: 1 };
        match self.made {
            // The divider is 16 after reset, and the row is the frequency behind it.
            Made::Rosc => (self.bank.get(CTRL) >> ENABLE_SHIFT != DISABLE && !self.dormant).then(|| Output {
                pll: Pll { input: rosc_frequency(), divider: self.stages(), multiplier: 16 * STAGES },
                divider: self.rosc_divider(),
            }),
            Made::Xosc => (self.bank.get(XOSC_STATUS) & STABLE != 0 && !self.dormant)
                .then(|| Self::crystal(env).map(plain))
                .flatten(),
            // Clock inputs are none of these blocks.
            Made::Gpin0 | Made::Gpin1 => None,
            Made::PllSys | Made::PllUsb => {
                let (crystal, prim) = (Self::crystal(env)?, self.bank.get(PRIM));
                if self.bank.get(CS) & BYPASS != 0 {
                    return Some(plain(crystal));
                }
                let posts = (prim >> 16 & 7).max(1) * (prim >> 12 & 7).max(1);
                let runs = self.bank.get(PWR) & POSTDIVPD == 0 && self.bank.get(CS) & LOCK != 0;
                runs.then(|| Output {
                    pll: Pll {
                        input: crystal,
                        divider: (self.bank.get(CS) & 0x3F).max(1),
                        multiplier: self.bank.get(FBDIV_INT).max(1),
                    },
                    divider: posts,
                })
            }
        }
    }

    /// Tells the clock generators what comes out, unless they stand with it.
    fn announce(&self, env: &mut Env<'_, '_>) {
        if self.halts {
            return;
        }
        let output = self.output(env);
        env.effect(Effect::Rp(Message::Oscillator { made: self.made, output }));
    }

    fn expect_ready(&mut self, at: Instant, env: &mut Env<'_, '_>) {
        self.ready = at;
        env.schedule(READY, at);
    }

    /// The crystal is switched on or off.
    fn switch_xosc(&mut self, env: &mut Env<'_, '_>) {
        let on = self.bank.get(CTRL) >> ENABLE_SHIFT == ENABLE;
        if on == (self.bank.get(XOSC_STATUS) & ENABLED != 0) {
            return;
        }
        self.bank.flags(XOSC_STATUS, &[(ENABLED, on), (STABLE, false)]);
        let Some(crystal) = Self::crystal(env).filter(|_| on) else {
            if on {
                env.gap(GapKind::Setting, format_args!("XOSC_CTRL.ENABLE: the board has no crystal"));
            }
            return self.expect_ready(Instant::NEVER, env);
        };
        // A dormant one starts when it is woken.
        let starts = env.now().after(self.startup(crystal, env));
        self.expect_ready(if self.dormant { Instant::NEVER } else { starts }, env);
    }

    /// The time that the crystal takes to start.
    fn startup(&self, crystal: Hertz, env: &mut Env<'_, '_>) -> Span {
        let startup = self.bank.get(XOSC_STARTUP);
        let steps = u64::from(startup & 0x3FFF) << if startup >> 20 & 1 != 0 { 2 } else { 0 };
        let step = env.cycles(&ROWS[STARTUP_STEP]);
        env.clocks().period(crystal).times(steps * step)
    }

    /// DORMANT is written so that the oscillator stops, if it runs or starts; returns whether it does.
    fn fall_dormant(&mut self, env: &mut Env<'_, '_>) -> bool {
        if self.dormant || self.output(env).is_none() && self.ready == Instant::NEVER {
            return false;
        }
        self.dormant = true;
        self.expect_ready(Instant::NEVER, env);
        self.bank.flag(self.status_register(), STABLE, false);
        env.effect(Effect::Rp(Message::Dormant { made: self.made }));
        true
    }

    /// The part stands because the oscillator `made` is dormant.
    pub fn note_stands(&mut self, made: Made) {
        self.halts |= self.made == made;
    }

    /// Something wakes the oscillator, if it is dormant. It stays off if its CTRL does not switch it on.
    pub fn wake(&mut self, env: &mut Env<'_, '_>) {
        if !std::mem::take(&mut self.dormant) {
            return;
        }
        let ring = self.made == Made::Rosc;
        let enable = self.bank.get(CTRL) >> ENABLE_SHIFT;
        self.bank.set(if ring { ROSC_DORMANT } else { XOSC_DORMANT }, WAKE);
        if if ring { enable == DISABLE } else { self.bank.get(XOSC_STATUS) & ENABLED == 0 } {
            return;
        }
        let crystal = Self::crystal(env).filter(|_| !ring);
        let after = crystal.map_or(Span::ZERO, |crystal| self.startup(crystal, env));
        let halts = std::mem::take(&mut self.halts);
        if halts {
            env.effect(Effect::Rp(Message::Runs { after }));
        }
        // Nobody looks before one with which the part stands is stable.
        if halts || ring {
            self.bank.flag(self.status_register(), STABLE, true);
            return self.announce(env);
        }
        let at = env.now().after(after);
        self.expect_ready(at, env);
    }

    fn status_register(&self) -> u32 {
        if self.made == Made::Rosc { ROSC_STATUS } else { XOSC_STATUS }
    }

    /// A loop's settings have changed.
    fn switch_pll(&mut self, was_on: bool, env: &mut Env<'_, '_>) {
        let on = self.is_on();
        if on && Self::crystal(env).is_none() {
            env.gap(GapKind::Setting, format_args!("{}: the board has no crystal", env.instance.name));
        }
        match Self::crystal(env).filter(|_| on && !was_on) {
            Some(crystal) => {
                let reference = env.clocks().period(crystal).times(u64::from((self.bank.get(CS) & 0x3F).max(1)));
                let span = reference.times(env.cycles(&ROWS[LOCK_TIME]));
                let vco =
                    crystal.get() * u64::from(self.bank.get(FBDIV_INT)) / u64::from((self.bank.get(CS) & 0x3F).max(1));
                if !(750_000_000..=1_600_000_000).contains(&vco) {
                    let name = env.instance.name;
                    env.gap(GapKind::Setting, format_args!("{name}: a VCO of {vco} Hz, not 750 to 1600 MHz"));
                }
                let at = env.now().after(span);
                self.expect_ready(at, env);
            }
            None if !on => {
                self.bank.flag(CS, LOCK, false);
                self.expect_ready(Instant::NEVER, env);
            }
            None => {}
        }
    }

    /// The frequency that COUNT counts down with.
    fn count_period(&self, env: &Env<'_, '_>) -> Option<Span> {
        self.output(env).map(|output| output.period(env.clocks()))
    }

    fn count_register(&self) -> u32 {
        if self.made == Made::Rosc { ROSC_COUNT } else { XOSC_COUNT }
    }

    /// The value of COUNT.
    fn count(&self, env: &Env<'_, '_>) -> u32 {
        let Some(period) = self.count_period(env).filter(|_| self.counted != Instant::NEVER) else { return 0 };
        let (whole, rest) = self.counted.since(env.now()).divide(period);
        (whole + u64::from(rest != Span::ZERO)) as u32
    }
}

impl Block<Words> for Oscillator {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        match (self.made, offset) {
            (Made::Rosc, ROSC_RANDOMBIT) => {
                if self.output(env).is_some() {
                    self.noise ^= self.noise << 13;
                    self.noise ^= self.noise >> 17;
                    self.noise ^= self.noise << 5;
                }
                self.noise >> 16 & 1
            }
            (Made::Rosc, ROSC_COUNT) | (Made::Xosc, XOSC_COUNT) => self.count(env),
            _ => self.bank.read(offset, env),
        }
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        let changes = match self.made {
            Made::Rosc => matches!(offset, ROSC_RANDOMBIT | ROSC_COUNT),
            Made::Xosc => offset == XOSC_COUNT,
            Made::PllSys | Made::PllUsb | Made::Gpin0 | Made::Gpin1 => false,
        };
        if changes { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let was_on = self.is_pll() && self.is_on();
        let status = self.status_register();
        match (self.made, offset) {
            (Made::Rosc | Made::Xosc, offset) if offset == status => {
                self.bank.flag(status, ones(write) & BADWRITE, false);
            }
            (Made::Rosc | Made::Xosc, offset) if offset == self.count_register() => {
                let period = self.count_period(env);
                self.counted = period.map_or(Instant::NEVER, |period| {
                    env.now().after(period.times(u64::from(write.value & write.lanes & 0xFF)))
                });
                env.schedule(COUNTED, self.counted);
            }
            (Made::Rosc, ROSC_DORMANT) | (Made::Xosc, XOSC_DORMANT) => {
                let (_, value) = self.bank.write(offset, write, env);
                match value {
                    // The generators decide about what comes of it.
                    PAUSE if self.fall_dormant(env) => return,
                    PAUSE => {}
                    WAKE => {}
                    _ => self.bank.flag(status, BADWRITE, true),
                }
            }
            (Made::Rosc | Made::Xosc, CTRL) => {
                let (old, new) = self.bank.write(CTRL, write, env);
                if ![ENABLE, DISABLE].contains(&(new >> ENABLE_SHIFT)) && new >> ENABLE_SHIFT != old >> ENABLE_SHIFT {
                    self.bank.flag(status, BADWRITE, true);
                }
                if self.made == Made::Xosc {
                    self.switch_xosc(env);
                } else {
                    if self.stages() != STAGES {
                        env.cycles(&ROWS[STAGE]);
                    }
                    let on = new >> ENABLE_SHIFT != DISABLE;
                    self.bank.flags(ROSC_STATUS, &[(ENABLED, on), (DIV_RUNNING, on), (STABLE, on && !self.dormant)]);
                }
            }
            _ => {
                let (old, new) = self.bank.write(offset, write, env);
                if self.is_pll() {
                    // LOCK is not written.
                    if offset == CS {
                        self.bank.set(CS, new & !LOCK | old & LOCK);
                    }
                    self.switch_pll(was_on, env);
                }
            }
        }
        self.announce(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        let at = if kind == READY { self.ready } else { self.counted };
        if env.now() < at {
            return;
        }
        if kind == COUNTED {
            self.counted = Instant::NEVER;
            return;
        }
        self.ready = Instant::NEVER;
        if self.is_pll() {
            self.bank.flag(CS, LOCK, true);
        } else {
            self.bank.flag(XOSC_STATUS, STABLE, true);
        }
        self.announce(env);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        env.schedule(READY, self.ready);
        env.schedule(COUNTED, self.counted);
    }

    fn refine(&mut self, times: u64) {
        self.ready = self.ready.refined(times);
        self.counted = self.counted.refined(times);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        (self.ready, self.counted) = (Instant::NEVER, Instant::NEVER);
        (self.dormant, self.halts) = (false, false);
        env.cancel_all();
        match self.made {
            // The description has no values for what power-on leaves here.
            Made::Rosc => {
                env.cycles(&ROWS[ROSC_FREQUENCY]);
                self.bank.set(CTRL, ENABLE << ENABLE_SHIFT | 0xAA0);
                self.bank.set(ROSC_DIV, 0xAA0 + 16);
                self.bank.set(ROSC_STATUS, ENABLED | DIV_RUNNING | STABLE);
            }
            Made::Xosc => {
                self.bank.set(CTRL, DISABLE << ENABLE_SHIFT | 0xAA0);
                self.bank.set(XOSC_STARTUP, 0xC4);
            }
            Made::PllSys | Made::PllUsb => self.bank.set(PRIM, PRIM_RESET),
            Made::Gpin0 | Made::Gpin1 => {}
        }
        self.announce(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
