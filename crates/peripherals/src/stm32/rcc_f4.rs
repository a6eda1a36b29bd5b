//! Reset and clock control of STM32F446 (RM0390, "Reset and clock control (RCC)").
//!
//! Modelled: HSI, HSE, LSI, LSE and the three PLLs with their ready flags and interrupts, SYSCLK and its switch, the
//! prescalers with the timers' clocks, the clock enables and peripheral resets, the backup domain's register behind
//! PWR_CR.DBP, and the reset flags. The PLLs for audio and SAI lock but feed nothing here. HSE never fails, so the clock
//! security system never acts. Trimming, spread spectrum, clock outputs (MCO) and the choice of kernel clocks are
//! stored without effect, and named when used.

use cyclescope_machine::{GapKind, TimingRow};
use cyclescope_units::Hertz;

use crate::ResetFlag;
use crate::bank::{all, some};
use crate::{
    Bank, Block, ClockControl, Clocks, Effect, Env, Instance, Instant, Lines, Modelled, Pll, Span, Tree, Words, Write,
};

const CR: u32 = 0x00;
const PLLCFGR: u32 = 0x04;
const CFGR: u32 = 0x08;
const CIR: u32 = 0x0C;
const AHB1RSTR: u32 = 0x10;
const APB2RSTR: u32 = 0x24;
const BDCR: u32 = 0x70;
const CSR: u32 = 0x74;
const DCKCFGR: u32 = 0x8C;

const HSION: u32 = 1 << 0;
const HSIRDY: u32 = 1 << 1;
const HSEON: u32 = 1 << 16;
const HSERDY: u32 = 1 << 17;
const HSEBYP: u32 = 1 << 18;
const PLLON: u32 = 1 << 24;
const PLLRDY: u32 = 1 << 25;
const PLLI2SON: u32 = 1 << 26;
const PLLI2SRDY: u32 = 1 << 27;
const PLLSAION: u32 = 1 << 28;
const PLLSAIRDY: u32 = 1 << 29;
const LSEON: u32 = 1 << 0;
const LSERDY: u32 = 1 << 1;
const RTCSEL: u32 = 3 << 8;
const BDRST: u32 = 1 << 16;
const LSION: u32 = 1 << 0;
const LSIRDY: u32 = 1 << 1;
const RMVF: u32 = 1 << 24;
const RESET_FLAGS: u32 = 0xFE00_0000;
const PLLSRC: u32 = 1 << 22;
const TIMPRE: u32 = 1 << 24;

const SW: u32 = 3;
const SWS: u32 = 3 << 2;
/// HPRE, PPRE1 and PPRE2.
const PRESCALERS: u32 = 0xFCF0;

const SW_HSI: u32 = 0;
const SW_HSE: u32 = 1;
const SW_PLL_R: u32 = 3;

/// The fastest each APB may be (DS10693, General operating conditions, over-drive on).
const MAX_PCLK1: Hertz = Hertz::new(45_000_000);
const MAX_PCLK2: Hertz = Hertz::new(90_000_000);

/// What is modelled, with the values after power-on (RM0390, "RCC register map").
pub const MODEL: &[Modelled] = &[
    some(
        "CR",
        0x0000_0083,
        &[
            "HSION",
            "HSIRDY",
            "HSEON",
            "HSERDY",
            "HSEBYP",
            "CSSON",
            "PLLON",
            "PLLRDY",
            "PLLI2SON",
            "PLLI2SRDY",
            "PLLSAION",
            "PLLSAIRDY",
        ],
    ),
    all("PLLCFGR", 0x2400_3010),
    some("CFGR", 0, &["SW", "SWS", "HPRE", "PPRE1", "PPRE2", "RTCPRE"]),
    all("CIR", 0),
    all("AHB1RSTR", 0),
    all("AHB2RSTR", 0),
    all("AHB3RSTR", 0),
    all("APB1RSTR", 0),
    all("APB2RSTR", 0),
    all("AHB1ENR", 0),
    all("AHB2ENR", 0),
    all("AHB3ENR", 0),
    all("APB1ENR", 0),
    all("APB2ENR", 0),
    // Sleep-mode enables are stored: the model's clocks do not stop in Sleep mode, which is their value after reset.
    some("AHB1LPENR", 0x6067_90FF, &[]),
    some("AHB2LPENR", 0x0000_0081, &[]),
    some("AHB3LPENR", 0x0000_0003, &[]),
    some("APB1LPENR", 0x3FFF_C9FF, &[]),
    some("APB2LPENR", 0x00C7_7F33, &[]),
    all("BDCR", 0),
    all("CSR", 0x0E00_0000),
    some("PLLI2SCFGR", 0x2400_3010, &[]),
    some("PLLSAICFGR", 0x0400_3010, &[]),
    some("DCKCFGR", 0, &["TIMPRE"]),
    // The kernel clocks of FMPI2C1, CEC, USB, SDIO and SPDIF: blocks that are named themselves when used.
    all("DCKCFGR2", 0),
];

/// Start-up times of the oscillators, in periods of 16 MHz.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "rcc.hsi_startup",
        "HSI from HSION to HSIRDY, in periods of 16 MHz",
        36,
        "2.2 us typical (DS10693, HSI oscillator characteristics, to be checked)",
    ),
    TimingRow::assumed(
        "rcc.hse_startup",
        "HSE from HSEON to HSERDY with a crystal, in periods of 16 MHz",
        32_000,
        "2 ms, typical start-up of a crystal (DS10693, HSE oscillator characteristics); depends on the board",
    ),
    TimingRow::assumed(
        "rcc.lsi_startup",
        "LSI from LSION to LSIRDY, in periods of 16 MHz",
        240,
        "15 us typical (DS10693, LSI oscillator characteristics, to be checked)",
    ),
    TimingRow::assumed(
        "rcc.lse_startup",
        "LSE from LSEON to LSERDY, in periods of 16 MHz",
        32_000_000,
        "2 s, typical start-up of a watch crystal (DS10693, LSE oscillator characteristics); depends on the board",
    ),
    TimingRow::assumed(
        "rcc.pll_lock",
        "a PLL from its ON bit to its RDY bit, in periods of 16 MHz",
        3_200,
        "200 us, between the least and the most of DS10693, Main PLL characteristics (lock time); to be checked",
    ),
    TimingRow::assumed(
        "rcc.hse_bypass_startup",
        "HSE from HSEON to HSERDY with a clock from outside (HSEBYP), in periods of 16 MHz",
        16,
        "1 us; RM0390 gives no figure for a clock that runs already",
    ),
];

/// One oscillator's switch, flag, interrupt bit in CIR, and row.
struct Oscillator {
    register: u32,
    on: u32,
    ready: u32,
    interrupt: u32,
    row: usize,
}

const fn oscillator(register: u32, on: u32, ready: u32, interrupt: u32, row: usize) -> Oscillator {
    Oscillator { register, on, ready, interrupt: 1 << interrupt, row }
}

const OSCILLATORS: [Oscillator; 7] = [
    oscillator(CR, HSION, HSIRDY, 2, 0),
    oscillator(CR, HSEON, HSERDY, 3, 1),
    oscillator(CSR, LSION, LSIRDY, 0, 2),
    oscillator(BDCR, LSEON, LSERDY, 1, 3),
    oscillator(CR, PLLON, PLLRDY, 4, 4),
    oscillator(CR, PLLI2SON, PLLI2SRDY, 5, 4),
    oscillator(CR, PLLSAION, PLLSAIRDY, 6, 4),
];
const HSI: usize = 0;
const HSE: usize = 1;
const LSI: usize = 2;
const LSE: usize = 3;
const PLL: usize = 4;
const PLLS: [usize; 3] = [PLL, 5, 6];
/// The row of HSE with a clock from outside.
const BYPASS: usize = 5;

/// The block.
#[derive(Clone, Debug)]
pub struct RccF4 {
    bank: Bank,
    lines: Lines,
    /// When each oscillator that is starting up will be ready.
    ready_at: [Instant; 7],
    /// A watchdog keeps LSI running.
    lsi_forced: bool,
    /// PWR_CR.DBP: the backup domain takes writes.
    backup_writable: bool,
}

impl RccF4 {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: Bank::new(instance.map, MODEL),
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            ready_at: [Instant::NEVER; 7],
            lsi_forced: false,
            backup_writable: false,
        }
    }

    fn is_ready(&self, oscillator: usize) -> bool {
        let known = &OSCILLATORS[oscillator];
        self.bank.get(known.register) & known.ready != 0
    }

    /// Whether the board has the oscillator; of a PLL, whether its source runs.
    fn can_start(&self, oscillator: usize, clocks: &Clocks) -> bool {
        match oscillator {
            HSE => clocks.oscillators().hse.is_some(),
            LSE => clocks.oscillators().lse.is_some(),
            HSI | LSI => true,
            _ => self.is_ready(self.pll_source()),
        }
    }

    fn pll_source(&self) -> usize {
        if self.bank.get(PLLCFGR) & PLLSRC != 0 { HSE } else { HSI }
    }

    /// The main PLL by its settings (RM0390, RCC_PLLCFGR: PLLSRC, PLLM, PLLN).
    fn pll(&self, clocks: &Clocks) -> Pll {
        let settings = self.bank.get(PLLCFGR);
        let oscillators = clocks.oscillators();
        let input = if settings & PLLSRC != 0 { oscillators.hse.unwrap_or(oscillators.hsi) } else { oscillators.hsi };
        Pll { input, divider: (settings & 0x3F).max(1), multiplier: (settings >> 6 & 0x1FF).max(1) }
    }

    /// Names settings of the main PLL that its manual forbids (RM0390, RCC_PLLCFGR).
    fn check_pll(&self, env: &mut Env<'_, '_>) {
        let settings = self.bank.get(PLLCFGR);
        let (m, n) = (settings & 0x3F, settings >> 6 & 0x1FF);
        if m < 2 || !(50..=432).contains(&n) {
            env.gap(GapKind::Setting, format_args!("RCC_PLLCFGR: PLLM={m} PLLN={n} are not allowed"));
        }
        let pll = self.pll(env.clocks());
        let vco = pll.input.get() * u64::from(pll.multiplier) / u64::from(pll.divider);
        if !(100_000_000..=432_000_000).contains(&vco) {
            env.gap(GapKind::Setting, format_args!("RCC_PLLCFGR: the VCO would run at {}", Hertz::new(vco)));
        }
    }

    /// Starts or stops `oscillator` as its switch says.
    fn power(&mut self, oscillator: usize, env: &mut Env<'_, '_>) {
        let known = &OSCILLATORS[oscillator];
        let value = self.bank.get(known.register);
        let on = value & known.on != 0 || (oscillator == LSI && self.lsi_forced);
        let ready = value & known.ready != 0;
        if !on {
            self.ready_at[oscillator] = Instant::NEVER;
            self.bank.flag(known.register, known.ready, false);
        } else if !ready && self.ready_at[oscillator] == Instant::NEVER && self.can_start(oscillator, env.clocks()) {
            let bypassed = oscillator == HSE && value & HSEBYP != 0;
            let row = &ROWS[if bypassed { BYPASS } else { known.row }];
            let period = env.clocks().period(Hertz::new(16_000_000));
            self.ready_at[oscillator] = env.now().after(period.times(u64::from(row.cycles)));
            if oscillator == PLL {
                self.check_pll(env);
            }
        }
        env.schedule(oscillator as u16, self.ready_at[oscillator]);
        if ready != (self.bank.get(known.register) & known.ready != 0) {
            env.effect(Effect::ClocksChanged);
        }
    }

    /// The oscillator that a value of CFGR.SW means.
    const fn selected(sw: u32) -> usize {
        match sw & SW {
            SW_HSI => HSI,
            SW_HSE => HSE,
            _ => PLL,
        }
    }

    /// Follows CFGR.SW once its clock is ready (RM0390, "System clock (SYSCLK) selection").
    fn switch(&mut self, env: &mut Env<'_, '_>) {
        let cfgr = self.bank.get(CFGR);
        if self.is_ready(Self::selected(cfgr)) && (cfgr & SWS) >> 2 != cfgr & SW {
            self.bank.set(CFGR, (cfgr & !SWS) | (cfgr & SW) << 2);
            // Of that output's users only SYSCLK is modelled; the others (I2S, SAI, SPDIF) are named themselves.
            let r = self.bank.get(PLLCFGR) >> 28;
            if cfgr & SW == SW_PLL_R && r < 2 {
                env.gap(GapKind::Setting, format_args!("RCC_PLLCFGR: PLLR={r} is not allowed"));
            }
            env.effect(Effect::ClocksChanged);
        }
    }

    fn drive(&mut self, env: &mut Env<'_, '_>) {
        let cir = self.bank.get(CIR);
        self.lines.drive(cir & cir >> 8 & 0x7F, env);
    }

    /// Switches in CR that cannot be cleared now: those of the oscillators behind SYSCLK.
    fn pinned(&self) -> u32 {
        match Self::selected(self.bank.get(CFGR) >> 2) {
            PLL => PLLON | OSCILLATORS[self.pll_source()].on,
            in_use => OSCILLATORS[in_use].on,
        }
    }

    fn write_control(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        const FLAGS: u32 = HSIRDY | HSERDY | PLLRDY | PLLI2SRDY | PLLSAIRDY;
        // The calibration is the factory's.
        const FIXED: u32 = FLAGS | 0xFF00;
        let value = (old & FIXED) | (new & !FIXED) | self.pinned();
        self.bank.set(CR, value);
        if (old ^ value) & PLLON != 0 {
            env.effect(Effect::PllSwitched { on: value & PLLON != 0 });
        }
        for oscillator in [HSI, HSE].into_iter().chain(PLLS) {
            self.power(oscillator, env);
        }
    }

    fn write_pll(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        // RM0390, RCC_PLLCFGR: written only while the PLLs that share PLLSRC are off; of PLLQ it says nothing.
        if self.bank.get(CR) & PLLON != 0 && old != new {
            self.bank.set(PLLCFGR, old);
            env.gap(GapKind::Setting, format_args!("RCC_PLLCFGR written while the PLL is on: lost"));
        }
    }

    fn write_configuration(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        self.bank.set(CFGR, (old & SWS) | (new & !SWS));
        self.switch(env);
        if (old ^ new) & PRESCALERS != 0 {
            env.effect(Effect::ClocksChanged);
        }
    }

    fn write_interrupts(&mut self, old: u32, write: Write) {
        let flags = old & 0xFF & !(write.ones() >> 16);
        self.bank.set(CIR, flags | (write.over(old) & 0x7F00));
    }

    fn write_backup(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        if !self.backup_writable {
            self.bank.set(BDCR, old);
            if old != new {
                env.gap(GapKind::Setting, format_args!("RCC_BDCR written while PWR_CR.DBP is 0: lost"));
            }
        } else if new & BDRST != 0 {
            // RM0390, "Backup domain reset": everything of the domain but the bit itself.
            self.bank.set(BDCR, BDRST);
            env.effect(Effect::ResetBackup);
        } else {
            // RTCSEL is written once until the domain is reset (RM0390, RCC_BDCR).
            let chosen = if old & RTCSEL != 0 { RTCSEL } else { 0 };
            let kept = LSERDY | chosen;
            self.bank.set(BDCR, (old & kept) | (new & !kept));
        }
        self.power(LSE, env);
    }
}

/// RM0390, RCC_CFGR.HPRE: 0xxx 1, then 2, 4, 8, 16, 64, 128, 256, 512.
fn ahb_divider(hpre: u32) -> u64 {
    const DIVIDERS: [u64; 8] = [2, 4, 8, 16, 64, 128, 256, 512];
    if hpre < 8 { 1 } else { DIVIDERS[(hpre - 8) as usize] }
}

/// RM0390, RCC_CFGR.PPRE1 and PPRE2: 0xx 1, then 2, 4, 8, 16.
fn apb_divider(ppre: u32) -> u64 {
    if ppre < 4 { 1 } else { 2 << (ppre - 4) }
}

/// The divider from HCLK to the timers' clock (RM0390, RCC_DCKCFGR.TIMPRE): with TIMPRE = 0 the bus's clock, twice that
/// where the bus is divided; with TIMPRE = 1 HCLK up to a division by four, then four times the bus's clock.
fn timer_divider(apb: u64, timpre: bool) -> u64 {
    match (apb, timpre) {
        (1, _) => 1,
        (_, false) => apb / 2,
        (_, true) => (apb / 4).max(1),
    }
}

impl ClockControl for RccF4 {
    fn tree(&self, clocks: &Clocks) -> Tree {
        let oscillators = clocks.oscillators();
        let cfgr = self.bank.get(CFGR);
        let when = |oscillator: usize, clock: Option<Hertz>| match clock {
            Some(clock) if self.is_ready(oscillator) => clocks.period(clock),
            _ => Span::ZERO,
        };
        let hsi = clocks.period(oscillators.hsi);
        let settings = self.bank.get(PLLCFGR);
        let (p, r) = (u64::from((settings >> 16 & 3) * 2 + 2), u64::from((settings >> 28 & 7).max(1)));
        let sysclk = match (cfgr & SWS) >> 2 {
            SW_HSI => hsi,
            SW_HSE => when(HSE, oscillators.hse),
            sw if self.is_ready(PLL) => self.pll(clocks).period(clocks).times(if sw == SW_PLL_R { r } else { p }),
            _ => Span::ZERO,
        };
        // A stopped clock cannot be selected; should one be, the core goes on from HSI, as the CSS would have it.
        let sysclk = if sysclk == Span::ZERO { hsi } else { sysclk };
        let hclk = sysclk.times(ahb_divider(cfgr >> 4 & 15));
        let (apb1, apb2) = (apb_divider(cfgr >> 10 & 7), apb_divider(cfgr >> 13 & 7));
        let timpre = self.bank.get(DCKCFGR) & TIMPRE != 0;
        Tree {
            hclk,
            pclk: hclk.times(apb1),
            pclk2: hclk.times(apb2),
            timer: hclk.times(timer_divider(apb1, timpre)),
            timer2: hclk.times(timer_divider(apb2, timpre)),
            sysclk,
            hsi_kernel: when(HSI, Some(oscillators.hsi)),
            lsi: when(LSI, Some(oscillators.lsi)),
            lse: when(LSE, oscillators.lse),
        }
    }

    fn plls(&self, clocks: &Clocks) -> Vec<Pll> {
        if self.is_ready(PLL) { vec![self.pll(clocks)] } else { Vec::new() }
    }

    fn note_reset(&mut self, flag: ResetFlag) {
        let bit = match flag {
            ResetFlag::Pin => 1 << 26,
            ResetFlag::Software => 1 << 28,
            ResetFlag::IndependentWatchdog => 1 << 29,
            ResetFlag::WindowWatchdog => 1 << 30,
        };
        // Each internal reset also pulls the NRST pin (RM0390, "System reset").
        self.bank.flag(CSR, bit | 1 << 26, true);
    }

    fn force_lsi(&mut self, env: &mut Env<'_, '_>) {
        self.lsi_forced = true;
        self.power(LSI, env);
    }

    fn allow_backup_writes(&mut self, allowed: bool) {
        self.backup_writable = allowed;
    }
}

impl Block<Words> for RccF4 {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        self.bank.read(offset, env)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(offset, write, env);
        match offset {
            CR => self.write_control(old, new, env),
            PLLCFGR => self.write_pll(old, new, env),
            CFGR => self.write_configuration(old, new, env),
            CIR => self.write_interrupts(old, write),
            AHB1RSTR..=APB2RSTR if new != 0 => {
                env.effect(Effect::ResetPeripherals { offset: offset as u16, bits: new });
            }
            BDCR => self.write_backup(old, new, env),
            CSR => {
                let flags = if new & RMVF != 0 { 0 } else { old & RESET_FLAGS };
                self.bank.set(CSR, (new & LSION) | (old & LSIRDY) | flags);
                self.power(LSI, env);
            }
            DCKCFGR if (old ^ new) & TIMPRE != 0 => env.effect(Effect::ClocksChanged),
            _ => {}
        }
        self.drive(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        let oscillator = usize::from(kind);
        let Some(known) = OSCILLATORS.get(oscillator) else { return };
        if env.now() < self.ready_at[oscillator] {
            return;
        }
        self.ready_at[oscillator] = Instant::NEVER;
        self.bank.flag(known.register, known.ready, true);
        if self.bank.get(CIR) & known.interrupt << 8 != 0 {
            self.bank.flag(CIR, known.interrupt, true);
        }
        env.effect(Effect::ClocksChanged);
        for pll in PLLS {
            self.power(pll, env);
        }
        self.switch(env);
        self.drive(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        // The backup domain and the reset flags outlive a system reset (RM0390, "Backup domain reset", RCC_CSR).
        let (bdcr, flags) = (self.bank.get(BDCR), self.bank.get(CSR) & RESET_FLAGS);
        self.bank.reset();
        self.bank.set(BDCR, bdcr);
        self.bank.set(CSR, flags);
        self.lsi_forced = false;
        self.backup_writable = false;
        for oscillator in 0..OSCILLATORS.len() {
            self.power(oscillator, env);
        }
        self.drive(env);
        env.effect(Effect::PllSwitched { on: false });
        env.effect(Effect::ClocksChanged);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        for oscillator in 0..OSCILLATORS.len() {
            env.schedule(oscillator as u16, self.ready_at[oscillator]);
        }
        let too_fast = |period: Span, limit: Hertz| period < env.clocks().period(limit);
        let tree = env.clocks().tree();
        let over = [
            (too_fast(tree.pclk, MAX_PCLK1), "RCC_CFGR.PPRE1: PCLK1 above 45 MHz"),
            (too_fast(tree.pclk2, MAX_PCLK2), "RCC_CFGR.PPRE2: PCLK2 above 90 MHz"),
        ];
        for (_, what) in over.into_iter().filter(|(over, _)| *over) {
            env.gap(GapKind::Setting, format_args!("{what}"));
        }
    }

    fn refine(&mut self, times: u64) {
        self.ready_at = self.ready_at.map(|at| at.refined(times));
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
