//! True random number generator of STM32F4, L4, L4+, G0 and G4 (RM0401, RM0351, RM0444, RM0440, RM0432, "True random number
//! generator (RNG)"), whose numbers come from a fixed seed.
//!
//! The noise is a generator of Marsaglia 2003 (xorshift64), whose state outlives resets: two runs get the same numbers,
//! and a part that is reset does not get the same again. It never fails a health test, so that a seed error (SECS, SEIS)
//! is never set. Times are those of the version: a word at a time, or four words of a conditioning round while four more
//! wait behind them.

use cyclescope_machine::TimingRow;

use crate::bank::{all, but, some};
use crate::{Bank, Block, Clocks, Env, Instance, Instant, Lines, Modelled, Source, Span, Tree, Words, Write};

const CR: u32 = 0x00;
const SR: u32 = 0x04;
const DR: u32 = 0x08;
const HTCR: u32 = 0x10;

/// Bits of CR.
const RNGEN: u32 = 1 << 2;
const IE: u32 = 1 << 3;
const CED: u32 = 1 << 5;
const CONDRST: u32 = 1 << 30;
const CONFIGLOCK: u32 = 1 << 31;
/// The settings of version 2, which it takes together with CONDRST only (RM0432, RNG_CR).
const SETTINGS: u32 = 0x03FF_FF00 | CED;

/// Bits of SR.
const DRDY: u32 = 1 << 0;
const CECS: u32 = 1 << 1;
const CEIS: u32 = 1 << 5;
const SEIS: u32 = 1 << 6;

/// The next words are there.
const READY: u16 = 0;
/// The conditioning has left its reset.
const CLEARED: u16 = 1;

/// The words of a conditioning round.
const ROUND: u8 = 4;

/// The modelled registers and fields of version 1, with the values after reset (RM0351, RM0440, "RNG register map").
pub const MODEL_V1: &[Modelled] = &[all("CR", 0), all("SR", 0), all("DR", 0)];

/// Those of version 2 (RM0432, "RNG register map").
pub const MODEL_V2: &[Modelled] = &[
    but("CR", 0, &["NISTC", "RNG_CONFIG1", "RNG_CONFIG2", "RNG_CONFIG3"]),
    all("SR", 0),
    all("DR", 0),
    some("HTCR", 0, &[]),
];

/// The times, by version.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "rng.word",
        "from one word to the next, in periods of the 48 MHz clock",
        42,
        "RM0401, 13.6; RM0402, 15.2 (RM0090, RNG_DR: at most 40)",
    ),
    TimingRow::documented(
        "rng.enabled",
        "from RNGEN to the first word, in periods of the 48 MHz clock",
        46,
        "RM0401, 13.6; RM0351 rev 5, 27.3.4: sampling begins after four periods",
    ),
    TimingRow::documented(
        "rng.sampled",
        "the samples of a conditioning round, in periods of the RNG's clock: a round takes these or rng.round, what is longer",
        16,
        "RM0440 rev 4, 26.3.8, 26.5",
    ),
    TimingRow::documented("rng.round", "a conditioning round, in periods of HCLK", 213, "RM0440 rev 4, 26.5"),
    TimingRow::documented(
        "rng.first_slow",
        "the part of the first round after a reset that the RNG's clock counts, with HCLK so slow that two rounds of \
           conditioning take longer than sampling",
        128,
        "RM0440 rev 4, 26.5: 128 RNG clock cycles + 426 AHB cycles",
    ),
    TimingRow::documented(
        "rng.first_fast",
        "the same with a faster HCLK, before one round of conditioning",
        192,
        "RM0440 rev 4, 26.5: 192 RNG clock cycles + 213 AHB cycles",
    ),
    TimingRow::documented(
        "rng.nist_sampled",
        "the samples of a conditioning round of version 2, in periods of the RNG's divided clock",
        256,
        "RM0453 rev 2, 22.5, of the same block: 256 RNG cycles, or the conditioning",
    ),
    TimingRow::documented(
        "rng.nist_round",
        "a conditioning round of version 2, in periods of HCLK",
        412,
        "RM0453 rev 2, 22.5, of the same block",
    ),
    TimingRow::assumed(
        "rng.nist_first",
        "the rounds of version 2 before its first words after RNGEN",
        4,
        "RM0453 rev 2, 22.3.4: three samples of 128 bits for the start-up tests, one for the first round; their time is not given",
    ),
    TimingRow::assumed(
        "rng.condrst",
        "from CONDRST written 0 to CONDRST read 0, in periods of HCLK and as many of the RNG's clock",
        2,
        "RM0453 rev 2, RNG_CR.CONDRST, of the same block; to be checked in its text",
    ),
];

/// The generator's make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// One word at a time.
    Plain,
    /// Rounds of four words.
    Conditioned,
    /// The same with settings of the conditioning.
    Nist,
}

/// The block.
#[derive(Clone, Debug)]
pub struct Rng {
    bank: Bank,
    lines: Lines,
    kind: Kind,
    clock: Source,
    /// The state of the noise.
    noise: u64,
    /// Words that can be read, and whether a round of more waits.
    words: u8,
    waits: bool,
    /// When the next are there.
    next: Option<Instant>,
    /// The start-up tests have been passed since the last reset.
    tested: bool,
}

impl Rng {
    /// The generator after power-on; `conditioned` if one of version 1 has the conditioning.
    pub fn new(instance: &Instance, conditioned: bool) -> Self {
        let kind = match (instance.map.version, conditioned) {
            ("v2", _) => Kind::Nist,
            (_, true) => Kind::Conditioned,
            _ => Kind::Plain,
        };
        Self {
            bank: Bank::new(instance.map, if kind == Kind::Nist { MODEL_V2 } else { MODEL_V1 }),
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            kind,
            clock: Source::Clk48,
            noise: 0x9E37_79B9_7F4A_7C15,
            words: 0,
            waits: false,
            next: None,
            tested: false,
        }
    }

    /// Selects the clock of the noise; a bus's clock stands for the 48 MHz one. Returns `true` if it was another.
    pub fn set_clock(&mut self, clock: Source) -> bool {
        let bus = matches!(clock, Source::Hclk | Source::Pclk | Source::Pclk2);
        let clock = if bus { Source::Clk48 } else { clock };
        std::mem::replace(&mut self.clock, clock) != clock
    }

    fn is_set(&self, bits: u32) -> bool {
        self.bank.get(CR) & bits != 0
    }

    /// The period of the clock that samples the noise: divided by version 2.
    fn period(&self, env: &Env<'_, '_>) -> Span {
        let divider = if self.kind == Kind::Nist { self.bank.get(CR) >> 16 & 15 } else { 0 };
        env.clocks().period_of(self.clock).times(1 << divider)
    }

    /// The longer of two spans, so many periods of the noise's clock or of HCLK.
    fn longer(&self, sampled: u64, round: u64, env: &Env<'_, '_>) -> Span {
        self.period(env).times(sampled).max(env.clocks().period_of(Source::Hclk).times(round))
    }

    /// The time to the next words.
    fn time(&self, env: &mut Env<'_, '_>) -> Span {
        let (own, hclk) = (self.period(env), env.clocks().period_of(Source::Hclk));
        match (self.kind, self.tested) {
            (Kind::Plain, tested) => own.times(env.cycles(&ROWS[usize::from(!tested)])),
            (Kind::Conditioned, true) => {
                let (sampled, round) = (env.cycles(&ROWS[2]), env.cycles(&ROWS[3]));
                self.longer(sampled, round, env)
            }
            (Kind::Conditioned, false) => {
                let round = env.cycles(&ROWS[3]);
                // RM0440, 26.5: the threshold is 213 * f(RNG) / 64.
                if hclk.times(round) > own.times(64) {
                    own.times(env.cycles(&ROWS[4])).plus(hclk.times(2 * round))
                } else {
                    own.times(env.cycles(&ROWS[5])).plus(hclk.times(round))
                }
            }
            (Kind::Nist, tested) => {
                let (sampled, round) = (env.cycles(&ROWS[6]), env.cycles(&ROWS[7]));
                let rounds = if tested { 1 } else { env.cycles(&ROWS[8]) };
                self.longer(sampled, round, env).times(rounds)
            }
        }
    }

    /// Begins to make the next words, if there is room for them and a clock.
    fn begin(&mut self, env: &mut Env<'_, '_>) {
        let room = if self.kind == Kind::Plain { self.words == 0 } else { !self.waits };
        if self.next.is_some() || !room || !self.is_set(RNGEN) || self.is_set(CONDRST) || self.period(env) == Span::ZERO
        {
            return;
        }
        let at = env.now().after(self.time(env));
        self.next = Some(at);
        env.schedule(READY, at);
    }

    fn stop(&mut self, env: &mut Env<'_, '_>) {
        self.next = None;
        env.cancel(READY);
    }

    /// Looks at the noise's clock: RM0351, RNG_SR.CECS: slower than a 16th of HCLK; RM0440, 26.3.6: a 32nd.
    fn check(&mut self, env: &Env<'_, '_>) {
        let slowest = env.clocks().period_of(Source::Hclk).times(if self.kind == Kind::Plain { 16 } else { 32 });
        let period = env.clocks().period_of(self.clock);
        let wrong = self.is_set(RNGEN) && !self.is_set(CED) && (period == Span::ZERO || period > slowest);
        if wrong && self.bank.get(SR) & CECS == 0 {
            self.bank.flag(SR, CEIS, true);
        }
        self.bank.flag(SR, CECS, wrong);
    }

    fn settle(&mut self, env: &mut Env<'_, '_>) {
        self.check(env);
        self.bank.flag(SR, DRDY, self.words > 0);
        let active = self.bank.get(SR) & (DRDY | CEIS | SEIS) != 0 && self.bank.get(CR) & (IE | RNGEN) == IE | RNGEN;
        self.lines.drive(u32::from(active), env);
    }

    fn word(&mut self) -> u32 {
        self.noise ^= self.noise << 13;
        self.noise ^= self.noise >> 7;
        self.noise ^= self.noise << 17;
        // Zero is what an empty register reads as.
        ((self.noise >> 32) as u32).max(1)
    }

    fn write_control(&mut self, write: Write, env: &mut Env<'_, '_>) {
        let old = self.bank.get(CR);
        let mut write = write;
        if self.kind == Kind::Nist && (old & CONFIGLOCK != 0 || write.ones() & CONDRST == 0) {
            write.lanes &= !SETTINGS;
        }
        let (_, new) = self.bank.write(CR, write, env);
        self.bank.set(CR, new | old & CONFIGLOCK);
        if new & CONDRST != 0 {
            // RM0432, RNG_CR.CONDRST: the conditioning and the errors begin anew.
            (self.words, self.waits, self.tested) = (0, false, false);
            self.bank.flag(SR, CEIS | SEIS, false);
            self.stop(env);
            env.cancel(CLEARED);
        } else if old & CONDRST != 0 {
            let periods = env.cycles(&ROWS[9]);
            let wait = self.period(env).plus(env.clocks().period_of(Source::Hclk)).times(periods);
            self.bank.flag(CR, CONDRST, true);
            env.schedule(CLEARED, env.now().after(wait));
        }
        if new & RNGEN == 0 {
            self.stop(env);
            if self.kind == Kind::Plain {
                self.tested = false;
            }
        }
        self.begin(env);
    }
}

impl Block<Words> for Rng {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset != DR {
            return self.bank.read(offset, env);
        }
        // RM0351, 27.3.5: without data the register reads as 0.
        if self.words == 0 {
            return 0;
        }
        let word = self.word();
        self.words -= 1;
        if self.words == 0 && self.waits {
            (self.words, self.waits) = (ROUND, false);
        }
        self.begin(env);
        self.settle(env);
        word
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if offset == DR { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            CR => self.write_control(write, env),
            // Flags of interrupts are cleared by 0.
            SR => self.bank.flag(SR, write.zeros() & (CEIS | SEIS), false),
            HTCR if self.is_set(CONFIGLOCK) || !self.is_set(CONDRST) => {}
            _ => {
                self.bank.write(offset, write, env);
            }
        }
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        if kind == CLEARED {
            self.bank.flag(CR, CONDRST, false);
        } else if self.next.take_if(|at| *at <= env.now()).is_some() {
            self.tested = true;
            if self.kind == Kind::Plain {
                self.words = 1;
            } else if self.words == 0 {
                self.words = ROUND;
            } else {
                self.waits = true;
            }
        }
        self.begin(env);
        self.settle(env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        let runs = env.clocks().period_of(self.clock) != Span::ZERO;
        // The clock that most of the time is of: a round waits for HCLK where that is slow.
        let (sampled, round) = if self.kind == Kind::Nist { (256, 412) } else { (16, 213) };
        let slow = self.kind != Kind::Plain && env.clocks().tree().hclk.times(round) > self.period(env).times(sampled);
        let clock = if slow { Source::Hclk } else { self.clock };
        let (before, after) = (old.period_of(clock), env.clocks().period_of(clock));
        if !runs {
            self.stop(env);
        } else if let Some(at) = &mut self.next {
            *at = at.rescaled(env.now(), before, after);
            env.schedule(READY, *at);
        }
        self.begin(env);
        self.settle(env);
    }

    fn refine(&mut self, times: u64) {
        self.next = self.next.map(|at| at.refined(times));
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        (self.words, self.waits, self.tested) = (0, false, false);
        self.stop(env);
        env.cancel(CLEARED);
        self.settle(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
