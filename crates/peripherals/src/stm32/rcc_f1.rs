//! Reset and clock control of STM32F1, medium density (RM0008, "Low-, medium-, high- and XL-density reset and clock
//! control (RCC)").
//!
//! Modelled: HSI, HSE, LSI, LSE and the PLL with their ready flags and interrupts, SYSCLK and its switch, the
//! prescalers, the clock enables and peripheral resets, the backup domain's register behind PWR_CR.DBP, and the reset
//! flags. ADCPRE and USBPRE are stored: the blocks they feed count no time here. HSE never fails, so the clock security
//! system never acts. Trimming and the clock output are stored without effect, and named when used.

use cyclescope_machine::{GapKind, Mark, TimingRow};
use cyclescope_units::Hertz;

use crate::ResetFlag;
use crate::bank::{all, some};
use crate::{
    Bank, Block, ClockControl, Clocks, Effect, Env, Instance, Instant, Lines, Modelled, Pll, Span, Tree, Words, Write,
};

const CR: u32 = 0x00;
const CFGR: u32 = 0x04;
const CIR: u32 = 0x08;
const APB2RSTR: u32 = 0x0C;
const APB1RSTR: u32 = 0x10;
const BDCR: u32 = 0x20;
const CSR: u32 = 0x24;

const HSION: u32 = 1 << 0;
const HSIRDY: u32 = 1 << 1;
const HSEON: u32 = 1 << 16;
const HSERDY: u32 = 1 << 17;
const PLLON: u32 = 1 << 24;
const PLLRDY: u32 = 1 << 25;
const LSEON: u32 = 1 << 0;
const LSERDY: u32 = 1 << 1;
const RTCSEL: u32 = 3 << 8;
const BDRST: u32 = 1 << 16;
const LSION: u32 = 1 << 0;
const LSIRDY: u32 = 1 << 1;
const RMVF: u32 = 1 << 24;
const RESET_FLAGS: u32 = 0xFC00_0000;

const SW: u32 = 3;
const SWS: u32 = 3 << 2;
const PLLSRC: u32 = 1 << 16;
const PLLXTPRE: u32 = 1 << 17;
const PLLMUL: u32 = 15 << 18;
/// What decides the PLL's output; written only while it is off (RM0008, RCC_CFGR).
const PLL_SETTINGS: u32 = PLLSRC | PLLXTPRE | PLLMUL;
/// HPRE, PPRE1 and PPRE2.
const PRESCALERS: u32 = 0x3FF0;

const SW_HSI: u32 = 0;
const SW_HSE: u32 = 1;
const SW_PLL: u32 = 2;

/// The fastest each clock may be (RM0008, RCC_CFGR; DS5319, General operating conditions).
const MAX_SYSCLK: Hertz = Hertz::new(72_000_000);
const MAX_PCLK1: Hertz = Hertz::new(36_000_000);

/// What is modelled, with the values after power-on (RM0008, "RCC register map").
pub const MODEL: &[Modelled] = &[
    some("CR", 0x0000_0083, &["HSION", "HSIRDY", "HSICAL", "HSEON", "HSERDY", "HSEBYP", "CSSON", "PLLON", "PLLRDY"]),
    some("CFGR", 0, &["SW", "SWS", "HPRE", "PPRE1", "PPRE2", "ADCPRE", "PLLSRC", "PLLXTPRE", "PLLMUL", "USBPRE"]),
    all("CIR", 0),
    all("APB2RSTR", 0),
    all("APB1RSTR", 0),
    all("AHBENR", 0x0000_0014),
    all("APB2ENR", 0),
    all("APB1ENR", 0),
    all("BDCR", 0),
    all("CSR", 0x0C00_0000),
];

/// Start-up times, in periods of 8 MHz.
pub const ROWS: &[TimingRow] = &[
    TimingRow {
        name: "rcc.hsi_startup",
        what: "HSI from HSION to HSIRDY, in periods of 8 MHz",
        cycles: 16,
        mark: Mark::Documented,
        source: "2 us, the maximum of tsu(HSI) (DS5319, HSI oscillator characteristics)",
    },
    TimingRow {
        name: "rcc.hse_startup",
        what: "HSE from HSEON to HSERDY, in periods of 8 MHz",
        cycles: 16_000,
        mark: Mark::Assumed,
        source: "2 ms, the typical tsu(HSE) of DS5319 (HSE 4-16 MHz oscillator characteristics); depends on the board's crystal",
    },
    TimingRow {
        name: "rcc.lsi_startup",
        what: "LSI from LSION to LSIRDY, in periods of 8 MHz",
        cycles: 680,
        mark: Mark::Documented,
        source: "85 us, the maximum of tsu(LSI) (DS5319, LSI oscillator characteristics)",
    },
    TimingRow {
        name: "rcc.lse_startup",
        what: "LSE from LSEON to LSERDY, in periods of 8 MHz",
        cycles: 24_000_000,
        mark: Mark::Assumed,
        source: "3 s, the typical tsu(LSE) of DS5319 (LSE oscillator characteristics); depends on the board's crystal",
    },
    TimingRow {
        name: "rcc.pll_lock",
        what: "PLL from PLLON, or its source's readiness, to PLLRDY, in periods of 8 MHz",
        cycles: 1_600,
        mark: Mark::Documented,
        source: "200 us, the maximum of tLOCK (DS5319, PLL characteristics)",
    },
];

/// One oscillator's switch, flag and interrupt.
struct Oscillator {
    register: u32,
    on: u32,
    ready: u32,
    /// Its flag in CIR; the enable is 8 bits higher, the clear bit 16.
    interrupt: u32,
}

/// By event number and by row of [`ROWS`].
const OSCILLATORS: [Oscillator; 5] = [
    Oscillator { register: CR, on: HSION, ready: HSIRDY, interrupt: 1 << 2 },
    Oscillator { register: CR, on: HSEON, ready: HSERDY, interrupt: 1 << 3 },
    Oscillator { register: CSR, on: LSION, ready: LSIRDY, interrupt: 1 << 0 },
    Oscillator { register: BDCR, on: LSEON, ready: LSERDY, interrupt: 1 << 1 },
    Oscillator { register: CR, on: PLLON, ready: PLLRDY, interrupt: 1 << 4 },
];
const HSI: usize = 0;
const HSE: usize = 1;
const LSI: usize = 2;
const LSE: usize = 3;
const PLL: usize = 4;

/// The block.
#[derive(Clone, Debug)]
pub struct RccF1 {
    bank: Bank,
    lines: Lines,
    /// When each oscillator that is starting up will be ready.
    ready_at: [Instant; 5],
    /// A watchdog keeps LSI running.
    lsi_forced: bool,
    /// PWR_CR.DBP: the backup domain takes writes.
    backup_writable: bool,
}

impl RccF1 {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: Bank::new(instance.map, MODEL),
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            ready_at: [Instant::NEVER; 5],
            lsi_forced: false,
            backup_writable: false,
        }
    }

    fn is_ready(&self, oscillator: usize) -> bool {
        let known = &OSCILLATORS[oscillator];
        self.bank.get(known.register) & known.ready != 0
    }

    /// Whether the board has the oscillator; of the PLL, whether its source runs.
    fn can_start(&self, oscillator: usize, clocks: &Clocks) -> bool {
        match oscillator {
            HSE => clocks.oscillators().hse.is_some(),
            LSE => clocks.oscillators().lse.is_some(),
            PLL => self.is_ready(self.pll_source()),
            _ => true,
        }
    }

    fn pll_source(&self) -> usize {
        if self.bank.get(CFGR) & PLLSRC != 0 { HSE } else { HSI }
    }

    /// The PLL by its settings (RM0008, RCC_CFGR: PLLSRC, PLLXTPRE, PLLMUL).
    fn pll(&self, clocks: &Clocks) -> Pll {
        let cfgr = self.bank.get(CFGR);
        let oscillators = clocks.oscillators();
        let hse = oscillators.hse.unwrap_or(oscillators.hsi);
        let (input, divider) = match cfgr & (PLLSRC | PLLXTPRE) {
            0 | PLLXTPRE => (oscillators.hsi, 2),
            PLLSRC => (hse, 1),
            _ => (hse, 2),
        };
        // 0000 is x2 and so on; 1111 is x16 as 1110 is.
        Pll { input, divider, multiplier: ((cfgr & PLLMUL) >> 18).min(14) + 2 }
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
            let period = env.clocks().period(Hertz::new(8_000_000));
            self.ready_at[oscillator] = env.now().after(period.times(u64::from(ROWS[oscillator].cycles)));
        }
        env.schedule(oscillator as u16, self.ready_at[oscillator]);
        if ready != (self.bank.get(known.register) & known.ready != 0) {
            env.effect(Effect::ClocksChanged);
        }
    }

    /// Follows CFGR.SW once its clock is ready (RM0008, "System clock (SYSCLK) selection").
    fn switch(&mut self, env: &mut Env<'_, '_>) {
        let cfgr = self.bank.get(CFGR);
        let oscillator = match cfgr & SW {
            SW_HSI => HSI,
            SW_HSE => HSE,
            SW_PLL => PLL,
            _ => return,
        };
        if self.is_ready(oscillator) && (cfgr & SWS) >> 2 != cfgr & SW {
            self.bank.set(CFGR, (cfgr & !SWS) | (cfgr & SW) << 2);
            self.check_limits(env);
            env.effect(Effect::ClocksChanged);
        }
    }

    /// Names clocks faster than the part is made for.
    fn check_limits(&mut self, env: &mut Env<'_, '_>) {
        let tree = self.tree(env.clocks());
        let too_fast = |period: Span, limit: Hertz| period < env.clocks().period(limit);
        let (sysclk, pclk1) = (too_fast(tree.sysclk, MAX_SYSCLK), too_fast(tree.pclk, MAX_PCLK1));
        if sysclk {
            env.gap(GapKind::Setting, format_args!("SYSCLK above 72 MHz"));
        }
        if pclk1 {
            env.gap(GapKind::Setting, format_args!("RCC_CFGR.PPRE1: PCLK1 above 36 MHz"));
        }
    }

    fn drive(&mut self, env: &mut Env<'_, '_>) {
        let cir = self.bank.get(CIR);
        self.lines.drive(cir & cir >> 8 & 0x1F, env);
    }

    /// Switches in CR that cannot be cleared now: those of the oscillators behind SYSCLK.
    fn pinned(&self) -> u32 {
        match (self.bank.get(CFGR) & SWS) >> 2 {
            SW_HSE => HSEON,
            SW_PLL => PLLON | OSCILLATORS[self.pll_source()].on,
            _ => HSION,
        }
    }

    fn write_control(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        const FLAGS: u32 = HSIRDY | HSERDY | PLLRDY;
        // The calibration is the factory's.
        const FIXED: u32 = FLAGS | 0xFF00;
        self.bank.set(CR, (old & FIXED) | (new & !FIXED) | self.pinned());
        for oscillator in [HSI, HSE, PLL] {
            self.power(oscillator, env);
        }
    }

    fn write_configuration(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        let mut kept = SWS;
        if self.bank.get(CR) & PLLON != 0 {
            kept |= PLL_SETTINGS;
            if (old ^ new) & PLL_SETTINGS != 0 {
                env.gap(GapKind::Setting, format_args!("RCC_CFGR: PLL settings written while the PLL is on"));
            }
        }
        self.bank.set(CFGR, (old & kept) | (new & !kept));
        if new & SW == 3 {
            env.gap(GapKind::Setting, format_args!("RCC_CFGR.SW=3 is reserved"));
        }
        self.switch(env);
        if (old ^ new) & PRESCALERS != 0 {
            self.check_limits(env);
            env.effect(Effect::ClocksChanged);
        }
    }

    fn write_interrupts(&mut self, old: u32, write: Write, env: &mut Env<'_, '_>) {
        let flags = old & 0x9F & !(write.ones() >> 16);
        let enables = write.over(old) & 0x1F00;
        self.bank.set(CIR, flags | enables);
        self.drive(env);
    }

    fn write_backup(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        if !self.backup_writable {
            self.bank.set(BDCR, old);
            if old != new {
                env.gap(GapKind::Setting, format_args!("RCC_BDCR written while PWR_CR.DBP is 0: lost"));
            }
            return;
        }
        if new & BDRST != 0 {
            // RM0008, "Backup domain reset": everything of the domain but the bit itself.
            self.bank.set(BDCR, BDRST);
            env.effect(Effect::ResetBackup);
        } else {
            // Once selected, the RTC's clock stays until the domain is reset.
            let rtcsel = if old & RTCSEL != 0 { old & RTCSEL } else { new & RTCSEL };
            self.bank.set(BDCR, (old & LSERDY) | (new & !(LSERDY | RTCSEL)) | rtcsel);
        }
        self.power(LSE, env);
    }
}

/// RM0008, RCC_CFGR.HPRE: 0xxx 1, then 2, 4, 8, 16, 64, 128, 256, 512.
fn ahb_divider(hpre: u32) -> u64 {
    const DIVIDERS: [u64; 8] = [2, 4, 8, 16, 64, 128, 256, 512];
    if hpre < 8 { 1 } else { DIVIDERS[(hpre - 8) as usize] }
}

/// RM0008, RCC_CFGR.PPRE1 and PPRE2: 0xx 1, then 2, 4, 8, 16.
fn apb_divider(ppre: u32) -> u64 {
    if ppre < 4 { 1 } else { 2 << (ppre - 4) }
}

impl ClockControl for RccF1 {
    fn tree(&self, clocks: &Clocks) -> Tree {
        let oscillators = clocks.oscillators();
        let cfgr = self.bank.get(CFGR);
        let hsi = clocks.period(oscillators.hsi);
        let when = |oscillator: usize, clock: Option<Hertz>| match clock {
            Some(clock) if self.is_ready(oscillator) => clocks.period(clock),
            _ => Span::ZERO,
        };
        let sysclk = match (cfgr & SWS) >> 2 {
            SW_HSE => when(HSE, oscillators.hse),
            SW_PLL if self.is_ready(PLL) => self.pll(clocks).period(clocks),
            _ => hsi,
        };
        // A stopped clock cannot be selected; should one be, the core goes on from HSI, as the CSS would have it.
        let sysclk = if sysclk == Span::ZERO { hsi } else { sysclk };
        let hclk = sysclk.times(ahb_divider(cfgr >> 4 & 15));
        let (apb1, apb2) = (apb_divider(cfgr >> 8 & 7), apb_divider(cfgr >> 11 & 7));
        let (pclk1, pclk2) = (hclk.times(apb1), hclk.times(apb2));
        // RM0008, "Clocks": a timer's clock is PCLK where the APB is not divided, else twice PCLK.
        let timer = |pclk: Span, divider: u64| if divider == 1 { pclk } else { pclk.half() };
        Tree {
            hclk,
            pclk: pclk1,
            pclk2,
            timer: timer(pclk1, apb1),
            timer2: timer(pclk2, apb2),
            sysclk,
            hsi_kernel: Span::ZERO,
            lsi: when(LSI, Some(oscillators.lsi)),
            lse: when(LSE, oscillators.lse),
        }
    }

    fn plls(&self, clocks: &Clocks) -> Vec<Pll> {
        if self.bank.get(CR) & PLLON != 0 { vec![self.pll(clocks)] } else { Vec::new() }
    }

    /// RM0008, "System reset".
    fn note_reset(&mut self, flag: ResetFlag) {
        let bit = match flag {
            ResetFlag::Pin => 1 << 26,
            ResetFlag::Software => 1 << 28,
            ResetFlag::IndependentWatchdog => 1 << 29,
            ResetFlag::WindowWatchdog => 1 << 30,
        };
        // Each internal reset also pulls the NRST pin.
        self.bank.flag(CSR, bit | 1 << 26, true);
    }

    /// RM0008, "LSI clock".
    fn force_lsi(&mut self, env: &mut Env<'_, '_>) {
        self.lsi_forced = true;
        self.power(LSI, env);
    }

    /// RM0008, "Battery backup domain".
    fn allow_backup_writes(&mut self, allowed: bool) {
        self.backup_writable = allowed;
    }
}

impl Block<Words> for RccF1 {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        self.bank.read(offset, env)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(offset, write, env);
        match offset {
            CR => self.write_control(old, new, env),
            CFGR => self.write_configuration(old, new, env),
            CIR => self.write_interrupts(old, write, env),
            APB2RSTR | APB1RSTR if new != 0 => {
                env.effect(Effect::ResetPeripherals { offset: offset as u16, bits: new });
            }
            BDCR => self.write_backup(old, new, env),
            CSR => {
                let flags = if new & RMVF != 0 { 0 } else { old & RESET_FLAGS };
                self.bank.set(CSR, (new & (LSION | RMVF)) | (old & LSIRDY) | flags);
                self.power(LSI, env);
            }
            _ => {}
        }
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        let Some(known) = OSCILLATORS.get(usize::from(kind)) else { return };
        if env.now() < self.ready_at[usize::from(kind)] {
            return;
        }
        self.ready_at[usize::from(kind)] = Instant::NEVER;
        self.bank.flag(known.register, known.ready, true);
        if self.bank.get(CIR) & known.interrupt << 8 != 0 {
            self.bank.flag(CIR, known.interrupt, true);
        }
        env.effect(Effect::ClocksChanged);
        // The PLL may have waited for this oscillator.
        self.power(PLL, env);
        self.switch(env);
        self.drive(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        // The backup domain and the reset flags outlive a system reset (RM0008, "Backup domain reset", RCC_CSR).
        let (bdcr, flags) = (self.bank.get(BDCR), self.bank.get(CSR) & RESET_FLAGS);
        self.bank.reset();
        self.bank.set(BDCR, bdcr);
        self.bank.set(CSR, flags);
        self.lsi_forced = false;
        self.backup_writable = false;
        for oscillator in [HSI, HSE, LSI, LSE, PLL] {
            self.power(oscillator, env);
        }
        self.drive(env);
        env.effect(Effect::ClocksChanged);
    }

    fn refine(&mut self, times: u64) {
        self.ready_at = self.ready_at.map(|at| at.refined(times));
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        for oscillator in 0..OSCILLATORS.len() {
            env.schedule(oscillator as u16, self.ready_at[oscillator]);
        }
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
