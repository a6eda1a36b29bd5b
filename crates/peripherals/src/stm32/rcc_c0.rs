//! Reset and clock control of STM32C0 (RM0490, "Reset and clock control (RCC)").
//!
//! Modelled: the oscillators with their ready flags and interrupts, SYSCLK and its switch, the prescalers, the
//! clock enables and peripheral resets, kernel clocks, the RTC domain's register and the reset flags. The clock
//! outputs (MCO), the clock security systems and trimming are stored without effect.

use cyclescope_machine::{GapKind, Mark, TimingRow};

use crate::bank::{all, some};
use crate::{
    Bank, Block, ClockControl, Clocks, Effect, Env, Instance, Instant, Lines, Modelled, ResetFlag, Source, Span, Tree,
    Words, Write,
};

const CR: u32 = 0x00;
const CFGR: u32 = 0x08;
const CIER: u32 = 0x18;
const CIFR: u32 = 0x1C;
const CICR: u32 = 0x20;
const IOPRSTR: u32 = 0x24;
const APBRSTR2: u32 = 0x30;
const CCIPR: u32 = 0x54;
const CSR1: u32 = 0x5C;
const CSR2: u32 = 0x60;

const HSION: u32 = 1 << 8;
const HSIRDY: u32 = 1 << 10;
const HSEON: u32 = 1 << 16;
const HSERDY: u32 = 1 << 17;
const LSEON: u32 = 1 << 0;
const LSERDY: u32 = 1 << 1;
const RTCRST: u32 = 1 << 16;
const LSION: u32 = 1 << 0;
const LSIRDY: u32 = 1 << 1;
const RMVF: u32 = 1 << 23;
const RESET_FLAGS: u32 = 0xFE00_0000;

/// SYSCLK selections of CFGR.SW (RM0490, "Clock configuration register (RCC_CFGR)").
const SW_HSISYS: u32 = 0;
const SW_HSE: u32 = 1;
const SW_LSI: u32 = 3;
const SW_LSE: u32 = 4;

/// What is modelled, with the values after power-on (RM0490, "RCC register map"). Sleep-mode enables are stored: the
/// model's clocks do not stop in Sleep mode, which is their value after reset.
pub const MODEL: &[Modelled] = &[
    some("CR", 0x0000_1540, &["HSIKERDIV", "HSION", "HSIRDY", "HSIDIV", "HSEON", "HSERDY", "HSEBYP"]),
    some("ICSCR", 0x0000_4000, &[]),
    some("CFGR", 0, &["SW", "SWS", "HPRE", "PPRE"]),
    all("CIER", 0),
    some("CIFR", 0, &["LSIRDYF", "LSERDYF", "HSIRDYF", "HSERDYF"]),
    all("CICR", 0),
    all("IOPRSTR", 0),
    all("AHBRSTR", 0),
    all("APBRSTR1", 0),
    all("APBRSTR2", 0),
    all("IOPENR", 0),
    all("AHBENR", 0x0000_0100),
    all("APBENR1", 0),
    all("APBENR2", 0),
    some("IOPSMENR", 0x0000_003F, &[]),
    some("AHBSMENR", 0x0005_1303, &[]),
    some("APBSMENR1", 0x18EF_7F36, &[]),
    some("APBSMENR2", 0x0017_D801, &[]),
    some("CCIPR", 0, &["USART1SEL", "I2C1SEL", "I2S1SEL", "ADC1SEL"]),
    some("CSR1", 0, &["LSEON", "LSERDY", "LSEBYP", "LSEDRV", "RTCSEL", "RTCEN", "RTCRST"]),
    all("CSR2", 0x0C00_0000),
];

/// Start-up times of the oscillators, in periods of 48 MHz.
pub const ROWS: &[TimingRow] = &[
    TimingRow {
        name: "rcc.hsi48_startup",
        what: "HSI48 from HSION to HSIRDY, in periods of 48 MHz",
        cycles: 192,
        mark: Mark::Assumed,
        source: "4 us, the order of magnitude in the datasheet's internal clock characteristics (DS13867); to be checked",
    },
    TimingRow {
        name: "rcc.hse_startup",
        what: "HSE from HSEON to HSERDY, in periods of 48 MHz",
        cycles: 96_000,
        mark: Mark::Assumed,
        source: "2 ms, typical start-up of a crystal (DS13867, HSE characteristics); depends on the board",
    },
    TimingRow {
        name: "rcc.lsi_startup",
        what: "LSI from LSION to LSIRDY, in periods of 48 MHz",
        cycles: 3_840,
        mark: Mark::Assumed,
        source: "80 us, typical of the same oscillator on STM32G0 (DS13867, LSI characteristics, to be checked)",
    },
    TimingRow {
        name: "rcc.lse_startup",
        what: "LSE from LSEON to LSERDY, in periods of 48 MHz",
        cycles: 96_000_000,
        mark: Mark::Assumed,
        source: "2 s, typical start-up of a watch crystal (DS13867, LSE characteristics); depends on the board",
    },
];

/// One oscillator's switch, flag and timing.
struct Oscillator {
    register: u32,
    on: u32,
    ready: u32,
    /// Its bit in CIER, CIFR and CICR.
    interrupt: u32,
    row: usize,
}

const OSCILLATORS: [Oscillator; 4] = [
    Oscillator { register: CR, on: HSION, ready: HSIRDY, interrupt: 1 << 3, row: 0 },
    Oscillator { register: CR, on: HSEON, ready: HSERDY, interrupt: 1 << 4, row: 1 },
    Oscillator { register: CSR2, on: LSION, ready: LSIRDY, interrupt: 1 << 0, row: 2 },
    Oscillator { register: CSR1, on: LSEON, ready: LSERDY, interrupt: 1 << 1, row: 3 },
];
const HSI: usize = 0;
const HSE: usize = 1;
const LSI: usize = 2;
const LSE: usize = 3;

/// The block.
#[derive(Clone, Debug)]
pub struct RccC0 {
    bank: Bank,
    lines: Lines,
    /// When each oscillator that is starting up will be ready.
    ready_at: [Instant; 4],
    /// A watchdog keeps LSI running.
    lsi_forced: bool,
}

impl RccC0 {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: Bank::new(instance.map, MODEL),
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            ready_at: [Instant::NEVER; 4],
            lsi_forced: false,
        }
    }

    /// The value of USART1SEL in RCC_CCIPR (RM0490: 0 PCLK, 1 SYSCLK, 2 HSIKER, 3 LSE).
    pub fn usart1_source(&self) -> Source {
        [Source::Pclk, Source::Sysclk, Source::HsiKernel, Source::Lse][(self.bank.get(CCIPR) & 3) as usize]
    }

    fn is_ready(&self, oscillator: usize) -> bool {
        let known = &OSCILLATORS[oscillator];
        self.bank.get(known.register) & known.ready != 0
    }

    /// Whether the part or its board has the oscillator.
    fn exists(&self, oscillator: usize, clocks: &Clocks) -> bool {
        match oscillator {
            HSE => clocks.oscillators().hse.is_some(),
            LSE => clocks.oscillators().lse.is_some(),
            _ => true,
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
        } else if !ready && self.ready_at[oscillator] == Instant::NEVER && self.exists(oscillator, env.clocks()) {
            let row = &ROWS[known.row];
            let period = env.clocks().period(cyclescope_units::Hertz::new(48_000_000));
            self.ready_at[oscillator] = env.now().after(period.times(u64::from(row.cycles)));
        }
        env.schedule(oscillator as u16, self.ready_at[oscillator]);
        if ready != (self.bank.get(known.register) & known.ready != 0) {
            env.effect(Effect::ClocksChanged);
        }
    }

    /// Follows CFGR.SW once its clock is ready (RM0490, "System clock (SYSCLK) selection").
    fn switch(&mut self, env: &mut Env<'_, '_>) {
        let cfgr = self.bank.get(CFGR);
        let oscillator = match cfgr & 7 {
            SW_HSISYS => HSI,
            SW_HSE => HSE,
            SW_LSI => LSI,
            SW_LSE => LSE,
            _ => return,
        };
        if self.is_ready(oscillator) && cfgr >> 3 & 7 != cfgr & 7 {
            self.bank.set(CFGR, (cfgr & !0x38) | (cfgr & 7) << 3);
            env.effect(Effect::ClocksChanged);
        }
    }

    fn drive(&mut self, env: &mut Env<'_, '_>) {
        let active = self.bank.get(CIER) & self.bank.get(CIFR);
        self.lines.drive(active, env);
    }

    /// The oscillator behind SYSCLK, which cannot be switched off.
    fn in_use(&self) -> usize {
        match self.bank.get(CFGR) >> 3 & 7 {
            SW_HSE => HSE,
            SW_LSI => LSI,
            SW_LSE => LSE,
            _ => HSI,
        }
    }
}

/// RM0490, RCC_CFGR.HPRE: 0xxx 1, then 2, 4, 8, 16, 64, 128, 256, 512.
fn ahb_divider(hpre: u32) -> u64 {
    const DIVIDERS: [u64; 8] = [2, 4, 8, 16, 64, 128, 256, 512];
    if hpre < 8 { 1 } else { DIVIDERS[(hpre - 8) as usize] }
}

/// RM0490, RCC_CFGR.PPRE: 0xx 1, then 2, 4, 8, 16.
fn apb_divider(ppre: u32) -> u64 {
    if ppre < 4 { 1 } else { 2 << (ppre - 4) }
}

impl ClockControl for RccC0 {
    fn tree(&self, clocks: &Clocks) -> Tree {
        let oscillators = clocks.oscillators();
        let (cr, cfgr) = (self.bank.get(CR), self.bank.get(CFGR));
        let hsi = clocks.period(oscillators.hsi);
        let running = |oscillator: usize| self.is_ready(oscillator);
        let when = |oscillator: usize, clock: Option<cyclescope_units::Hertz>| match clock {
            Some(clock) if running(oscillator) => clocks.period(clock),
            _ => Span::ZERO,
        };
        let (lsi, lse) = (when(LSI, Some(oscillators.lsi)), when(LSE, oscillators.lse));
        let hsisys = hsi.times(1 << (cr >> 11 & 7));
        let sysclk = match cfgr >> 3 & 7 {
            SW_HSE => when(HSE, oscillators.hse),
            SW_LSI => lsi,
            SW_LSE => lse,
            _ => hsisys,
        };
        // A stopped clock cannot be selected; should one be, the core goes on from HSI, as the CSS would have it.
        let sysclk = if sysclk == Span::ZERO { hsisys } else { sysclk };
        let hclk = sysclk.times(ahb_divider(cfgr >> 8 & 15));
        let apb = apb_divider(cfgr >> 12 & 7);
        let pclk = hclk.times(apb);
        // RM0490, "Timer clock": PCLK where the APB is not divided, else twice PCLK.
        let timer = if apb == 1 { pclk } else { pclk.half() };
        Tree {
            hclk,
            pclk,
            pclk2: pclk,
            timer,
            timer2: timer,
            sysclk,
            hsi_kernel: if running(HSI) { hsi.times(u64::from(cr >> 5 & 7) + 1) } else { Span::ZERO },
            lsi,
            lse,
        }
    }

    fn note_reset(&mut self, flag: ResetFlag) {
        let bit = match flag {
            ResetFlag::Pin => 1 << 26,
            ResetFlag::Software => 1 << 28,
            ResetFlag::IndependentWatchdog => 1 << 29,
            ResetFlag::WindowWatchdog => 1 << 30,
        };
        // Each internal reset also pulls the NRST pin (RM0490, "System reset").
        self.bank.flag(CSR2, bit | 1 << 26, true);
    }

    fn force_lsi(&mut self, env: &mut Env<'_, '_>) {
        self.lsi_forced = true;
        self.power(LSI, env);
    }

    fn kernel_clock(&self, instance: &Instance) -> Option<Source> {
        (instance.name == "USART1").then(|| self.usart1_source())
    }
}

impl Block<Words> for RccC0 {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        self.bank.read(offset, env)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(offset, write, env);
        match offset {
            CR => {
                let kept = (old & (HSIRDY | HSERDY)) | (new & !(HSIRDY | HSERDY));
                let in_use = OSCILLATORS[self.in_use()].register == CR;
                let pinned = if in_use { OSCILLATORS[self.in_use()].on } else { 0 };
                self.bank.set(CR, kept | pinned);
                self.power(HSI, env);
                self.power(HSE, env);
                if (old ^ new) & 0x38E0 != 0 {
                    env.effect(Effect::ClocksChanged);
                }
            }
            CFGR => {
                self.bank.set(CFGR, (old & 0x38) | (new & !0x38));
                if !matches!(new & 7, SW_HSISYS | SW_HSE | SW_LSI | SW_LSE) {
                    env.gap(GapKind::Setting, format_args!("RCC_CFGR.SW={} is reserved", new & 7));
                }
                self.switch(env);
                if (old ^ new) & 0x7F00 != 0 {
                    env.effect(Effect::ClocksChanged);
                }
            }
            CIFR => self.bank.set(CIFR, old),
            CICR => {
                self.bank.set(CICR, 0);
                self.bank.flag(CIFR, write.ones(), false);
            }
            IOPRSTR..=APBRSTR2 if new != 0 => {
                env.effect(Effect::ResetPeripherals { offset: offset as u16, bits: new });
            }
            CCIPR if old != new => env.effect(Effect::ClocksChanged),
            CSR1 => {
                if new & RTCRST != 0 {
                    // RM0490, "RTC domain reset": everything of the domain but the bit itself.
                    self.bank.set(CSR1, RTCRST);
                } else {
                    self.bank.set(CSR1, (old & LSERDY) | (new & !LSERDY));
                }
                self.power(LSE, env);
            }
            CSR2 => {
                let flags = if new & RMVF != 0 { 0 } else { old & RESET_FLAGS };
                self.bank.set(CSR2, (new & (LSION | RMVF)) | (old & LSIRDY) | flags);
                self.power(LSI, env);
            }
            _ => {}
        }
        self.drive(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        let Some(known) = OSCILLATORS.get(usize::from(kind)) else { return };
        if env.now() < self.ready_at[usize::from(kind)] {
            return;
        }
        self.ready_at[usize::from(kind)] = Instant::NEVER;
        self.bank.flag(known.register, known.ready, true);
        if self.bank.get(CIER) & known.interrupt != 0 {
            self.bank.flag(CIFR, known.interrupt, true);
        }
        env.effect(Effect::ClocksChanged);
        self.switch(env);
        self.drive(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        // The RTC domain and the reset flags outlive a system reset (RM0490, "RTC domain reset", "RCC_CSR2").
        let (csr1, flags) = (self.bank.get(CSR1), self.bank.get(CSR2) & RESET_FLAGS);
        self.bank.reset();
        self.bank.set(CSR1, csr1);
        self.bank.set(CSR2, flags);
        self.lsi_forced = false;
        for oscillator in [HSI, HSE, LSI, LSE] {
            self.power(oscillator, env);
        }
        self.drive(env);
        env.effect(Effect::ClocksChanged);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        for oscillator in 0..4 {
            env.schedule(oscillator as u16, self.ready_at[oscillator]);
        }
    }

    fn refine(&mut self, times: u64) {
        self.ready_at = self.ready_at.map(|at| at.refined(times));
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
