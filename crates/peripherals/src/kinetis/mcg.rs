//! Multipurpose clock generator (K20P64M72SF1RM, "Multipurpose Clock Generator (MCG)") with its crystal oscillator.
//!
//! Modelled: the modes FEI, FEE, FBI, FBE, PBE, PEE, BLPI and BLPE by their registers, the status bits with the times
//! that the crystal and the PLL take. Trimming, the clock monitors, loss of lock and the RTC oscillator as a reference
//! are stored without effect and named when used; the FLL is as fast as it will be at once.

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{GapKind, TimingRow};

use crate::bank::{but, some};
use crate::{
    Bank, Block, Clocks, Effect, Env, Instance, Instant, Lines, Modelled, Oscillators, Pll, Tree, Words, Write,
};

use super::registers::bank;

/// C1 to C4, and C5, C6 and S, as words.
const CONTROL: u32 = 0x0;
const STATUS: u32 = 0x4;
const SC: u32 = 0x8;

const IREFS: u32 = 1 << 2;
const IRCS: u32 = 1 << 8;
const EREFS0: u32 = 1 << 10;
const PLLCLKEN0: u32 = 1 << 6;
const PLLS: u32 = 1 << 14;
const LOLIE0: u32 = 1 << 15;
const IRCST: u32 = 1 << 16;
const OSCINIT0: u32 = 1 << 17;
const CLKST: u32 = 3 << 18;
const IREFST: u32 = 1 << 20;
const PLLST: u32 = 1 << 21;
const LOCK0: u32 = 1 << 22;
const S: u32 = 0xFF << 16;
/// PRDIV0 and VDIV0.
const PLL_SETTINGS: u32 = 0x1F1F;

/// Selections of C1.CLKS, and what S.CLKST says of each.
const CLKS_FLL_OR_PLL: u32 = 0;
const CLKS_INTERNAL: u32 = 1;
const CLKS_EXTERNAL: u32 = 2;
const CLKST_PLL: u32 = 3;

/// The internal references (data sheet, "MCG specifications").
const SLOW_IRC: Hertz = Hertz::new(32_768);
const FAST_IRC: Hertz = Hertz::new(4_000_000);

/// The modelled registers and fields, with the values after reset ("MCG memory map"): FEI.
pub const MODEL: &[Modelled] = &[
    but("C1_C2_C3_C4", 0x0000_8004, &["C3.SCTRIM", "C4.SCFTRIM", "C4.FCTRIM"]),
    but("C5_C6_S", 0x0010_0000, &["C5.PLLSTEN0", "C6.CME0", "C6.LOLIE0"]),
    some("SC_ATCVH_ATCVL", 0x0000_0002, &["SC.FCRDIV"]),
];

/// The times behind the status bits.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "mcg.crystal_startup",
        "the crystal oscillator from its selection to OSCINIT0, in periods of 4 MHz",
        2_400,
        "0.6 ms, typical for 8 MHz at low power in the high range (K20P64M72SF1, Oscillator frequency \
                 specifications); depends on the board's crystal",
    ),
    TimingRow::documented(
        "mcg.pll_lock",
        "the PLL from its start to LOCK0, in periods of 4 MHz; 1075 periods of its reference come on top",
        600,
        "150 us + 1075 / fpll_ref, the maximum of tpll_lock (K20P64M72SF1, MCG specifications)",
    ),
    TimingRow::documented(
        "mcg.pll_lock_references",
        "periods of the PLL's reference in its lock time",
        1_075,
        "150 us + 1075 / fpll_ref, the maximum of tpll_lock (K20P64M72SF1, MCG specifications)",
    ),
];

const STARTED: u16 = 0;
const LOCKED: u16 = 1;

/// The block.
#[derive(Clone, Debug)]
pub struct Mcg {
    bank: Bank,
    lines: Lines,
    started_at: Instant,
    locked_at: Instant,
    /// MCGOUTCLK as last announced to the other blocks; `None` before the first announcement.
    output: Option<Pll>,
}

impl Mcg {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: bank(instance.map, MODEL),
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            started_at: Instant::NEVER,
            locked_at: Instant::NEVER,
            output: None,
        }
    }

    /// The clock after reset, in mode FEI: the FLL over the slow internal reference.
    pub const AFTER_RESET: Pll = Pll { input: SLOW_IRC, divider: 1, multiplier: 640 };

    fn clks(&self) -> u32 {
        self.bank.get(CONTROL) >> 6 & 3
    }

    fn is_set(&self, bits: u32) -> bool {
        self.bank.get(STATUS) & bits != 0
    }

    fn pll_is_on(&self) -> bool {
        self.is_set(PLLS | PLLCLKEN0)
    }

    /// Tells if a setting needs the external reference.
    fn wants_external(&self) -> bool {
        self.bank.get(CONTROL) & IREFS == 0 || self.clks() == CLKS_EXTERNAL || self.pll_is_on()
    }

    /// Tells if the external reference runs: its crystal has started, or the board supplies a clock.
    fn external_runs(&self, oscillators: &Oscillators) -> bool {
        oscillators.hse.is_some() && (self.is_set(OSCINIT0) || self.bank.get(CONTROL) & EREFS0 == 0)
    }

    /// "PLL external reference divider", "VCO divider": PRDIV0 + 1, VDIV0 + 24.
    fn pll(&self, oscillators: &Oscillators) -> Pll {
        let settings = self.bank.get(STATUS);
        let input = oscillators.hse.unwrap_or(SLOW_IRC);
        Pll { input, divider: (settings & 31) + 1, multiplier: (settings >> 8 & 31) + 24 }
    }

    /// "FLL external reference divider" and the DCO ranges of C4.
    fn fll(&self, oscillators: &Oscillators) -> Pll {
        const FACTORS: [[u32; 4]; 2] = [[640, 1280, 1920, 2560], [732, 1464, 2197, 2929]];
        let control = self.bank.get(CONTROL);
        let multiplier = FACTORS[(control >> 31) as usize][(control >> 29 & 3) as usize];
        if self.is_set(IREFST) {
            return Pll { input: SLOW_IRC, divider: 1, multiplier };
        }
        let frdiv = control >> 3 & 7;
        let divider = match (control >> 12 & 3, frdiv) {
            (0, _) => 1 << frdiv,
            (_, 6) => 1280,
            (_, 7) => 1536,
            _ => 32 << frdiv,
        };
        Pll { input: oscillators.hse.unwrap_or(SLOW_IRC), divider, multiplier }
    }

    /// MCGOUTCLK as the status says it is.
    fn output(&self, oscillators: &Oscillators) -> Pll {
        let straight = |input, divider| Pll { input, divider, multiplier: 1 };
        match (self.bank.get(STATUS) & CLKST) >> 18 {
            CLKS_FLL_OR_PLL => self.fll(oscillators),
            CLKS_INTERNAL if self.is_set(IRCST) => straight(FAST_IRC, 1 << (self.bank.get(SC) >> 1 & 7)),
            CLKS_INTERNAL => straight(SLOW_IRC, 1),
            CLKS_EXTERNAL => straight(oscillators.hse.unwrap_or(SLOW_IRC), 1),
            _ => self.pll(oscillators),
        }
    }

    /// Names a reference that the loop behind `output` is not made for: 31.25 to 39.0625 kHz for the FLL (MCG_C1.FRDIV), 2 to
    /// 4 MHz for the PLL (MCG_C5.PRDIV0). What the loop does then is not said; here it multiplies all the same.
    fn check_reference(&self, output: Pll, env: &mut Env<'_, '_>) {
        let is_within = |from: u64, to: u64| {
            let (input, divider) = (2 * output.input.get(), u64::from(output.divider));
            (from * divider..=to * divider).contains(&input)
        };
        match (self.bank.get(STATUS) & CLKST) >> 18 {
            // In halves of a hertz.
            CLKS_FLL_OR_PLL if !is_within(62_500, 78_125) => {
                env.gap(GapKind::Setting, format_args!("MCG_C1.FRDIV: FLL reference outside 31.25 to 39.0625 kHz"));
            }
            CLKST_PLL if !is_within(4_000_000, 8_000_000) => {
                env.gap(GapKind::Setting, format_args!("MCG_C5.PRDIV0: PLL reference outside 2 to 4 MHz"));
            }
            _ => {}
        }
    }

    /// Starts and stops oscillator and PLL as the settings say, then follows them in S and in the clock.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let oscillators = *env.clocks().oscillators();
        let crystal = self.bank.get(CONTROL) & EREFS0 != 0 && oscillators.hse.is_some();
        if !(self.wants_external() && crystal) {
            self.started_at = Instant::NEVER;
            self.bank.flag(STATUS, OSCINIT0, false);
        } else if !self.is_set(OSCINIT0) && self.started_at == Instant::NEVER {
            self.started_at = env.now().after(env.clocks().period(FAST_IRC).times(u64::from(ROWS[0].cycles)));
        }
        env.schedule(STARTED, self.started_at);

        let external = self.wants_external() && self.external_runs(&oscillators);
        if !(self.pll_is_on() && external) {
            self.locked_at = Instant::NEVER;
            self.bank.flag(STATUS, LOCK0, false);
        } else if !self.is_set(LOCK0) && self.locked_at == Instant::NEVER {
            let reference = self.pll(&oscillators);
            let period = env.clocks().period(reference.input).times(u64::from(reference.divider));
            let fixed = env.clocks().period(FAST_IRC).times(u64::from(ROWS[1].cycles));
            self.locked_at = env.now().after(fixed).after(period.times(u64::from(ROWS[2].cycles)));
        }
        env.schedule(LOCKED, self.locked_at);

        let control = self.bank.get(CONTROL);
        self.bank.flag(STATUS, IRCST, control & IRCS != 0);
        self.bank.flag(STATUS, PLLST, self.is_set(PLLS));
        if control & IREFS != 0 || external {
            self.bank.flag(STATUS, IREFST, control & IREFS != 0);
        }
        let selected = match self.clks() {
            CLKS_FLL_OR_PLL if !self.is_set(PLLS) => Some(CLKS_FLL_OR_PLL),
            CLKS_FLL_OR_PLL => self.is_set(LOCK0).then_some(CLKST_PLL),
            CLKS_INTERNAL => Some(CLKS_INTERNAL),
            CLKS_EXTERNAL => external.then_some(CLKS_EXTERNAL),
            _ => None,
        };
        if let Some(selected) = selected {
            let status = self.bank.get(STATUS);
            self.bank.set(STATUS, (status & !CLKST) | selected << 18);
        }
        let output = self.output(&oscillators);
        if self.output != Some(output) {
            self.output = Some(output);
            self.check_reference(output, env);
            env.effect(Effect::SystemClock { clock: output });
        }
        // Loss of lock never happens here.
        self.lines.drive(0, env);
    }
}

impl Block<Words> for Mcg {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(offset, write, env);
        match offset {
            CONTROL if self.clks() == 3 => {
                env.gap(GapKind::Setting, format_args!("MCG_C1.CLKS=3 is reserved"));
            }
            STATUS => {
                self.bank.set(STATUS, (old & S) | (new & !S));
                if (old ^ new) & PLL_SETTINGS != 0 {
                    // The loop begins anew.
                    self.bank.flag(STATUS, LOCK0, false);
                    self.locked_at = Instant::NEVER;
                }
                if new & LOLIE0 != 0 {
                    env.gap(GapKind::Setting, format_args!("MCG_C6.LOLIE0: the PLL never loses its lock here"));
                }
            }
            _ => {}
        }
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        if kind == STARTED && env.now() >= self.started_at {
            self.started_at = Instant::NEVER;
            self.bank.flag(STATUS, OSCINIT0, true);
        }
        if kind == LOCKED && env.now() >= self.locked_at {
            self.locked_at = Instant::NEVER;
            self.bank.flag(STATUS, LOCK0, true);
        }
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        (self.started_at, self.locked_at) = (Instant::NEVER, Instant::NEVER);
        self.output = None;
        self.settle(env);
    }

    fn refine(&mut self, times: u64) {
        (self.started_at, self.locked_at) = (self.started_at.refined(times), self.locked_at.refined(times));
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        env.schedule(STARTED, self.started_at);
        env.schedule(LOCKED, self.locked_at);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
