//! System integration module (K20P64M72SF1RM, "System Integration Module (SIM)"): clock gates, dividers, identity.
//!
//! It divides what the clock generator makes: core, bus and flash clock are [`Source::Hclk`],
//! [`Source::Pclk`] and [`Source::Pclk2`]. Its choices of pins, triggers
//! and clocks for blocks that are only declared are stored and named.

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{GapKind, TimingRow, Width};

use crate::ResetFlag;
use crate::bank::{all, some};
use crate::{
    Bank, Block, ClockControl, Clocks, Effect, Env, Instance, Instant, Modelled, Pll, Source, Tree, Words, Write,
};

use super::Mcg;
use super::registers::bank;

const CLKDIV1: u32 = 0x1044;
const SDID: u32 = 0x1024;
const FCFG1: u32 = 0x104C;

/// Dividers after reset: core and bus 1, flash 2 ("Clock divider values after reset"); with FOPT.LPBOOT 0 all 8.
const DIVIDERS: u32 = 0x0011_0000;
const DIVIDERS_LOW_POWER: u32 = 0x7777_0000;
/// The option byte of the flash configuration field, and its bit that selects the fast start ("Flash Option
/// Register").
const FOPT: u32 = 0x40D;
const LPBOOT: u32 = 1;
/// The security byte: unsecured is 10 in its lowest bits ("Flash Security Register").
const FSEC: u32 = 0x40C;

/// The modelled registers and fields, with the values after reset ("SIM memory map").
pub const MODEL: &[Modelled] = &[
    // TRACECLKSEL, PLLFLLSEL, USBSRC and CLKOUTSEL feed trace, USB and a pin: no time depends on them here.
    some("SOPT2", 0x0000_1000, &["TRACECLKSEL", "PLLFLLSEL", "USBSRC", "CLKOUTSEL"]),
    // K20 family, 64 pins ("System Device Identification Register").
    all("SDID", 0x0000_0015),
    all("SCGC1", 0).and(&["SCGC2", "SCGC3"]),
    all("SCGC4", 0xF010_0030),
    all("SCGC5", 0x0004_0182),
    all("SCGC6", 0x4000_0001),
    all("SCGC7", 0x0000_0007),
    all("CLKDIV1", DIVIDERS),
    all("CLKDIV2", 0),
    // 256 KiB of program flash, 32 KiB of FlexNVM as data flash ("Flash Configuration Register 1").
    some("FCFG1", 0xFF0F_0F00, &["DEPART", "EESIZE", "PFSIZE", "NVMSIZE"]),
    all("FCFG2", 0x2004_0000),
    // The identity of no real die.
    all("UIDH", 0x0000_4359),
    all("UIDMH", 0x434C_4553),
    all("UIDML", 0x434F_5045),
    all("UIDL", 0x0000_0256),
];

/// The limits of the divided clocks.
pub const ROWS: &[TimingRow] = &[TimingRow::documented(
    "sim.flash_clock_limit",
    "the flash clock's limit in MHz, above which the model names a gap",
    25,
    "K20P64M72SF1, Device clock specifications: fFLASH at most 25 MHz",
)];

/// The block.
#[derive(Clone, Debug)]
pub struct Sim {
    bank: Bank,
    /// MCGOUTCLK.
    clock: Pll,
    cause: Option<ResetFlag>,
}

impl Sim {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: bank(instance.map, MODEL), clock: Mcg::AFTER_RESET, cause: None }
    }

    /// The clock generator's output changed.
    pub fn set_clock(&mut self, clock: Pll, env: &mut Env<'_, '_>) {
        self.clock = clock;
        env.effect(Effect::ClocksChanged);
    }

    fn divider(&self, low: u32) -> u64 {
        u64::from(self.bank.get(CLKDIV1) >> low & 15) + 1
    }

    fn check_limits(&self, env: &mut Env<'_, '_>) {
        let limit = Hertz::new(u64::from(ROWS[0].cycles) * 1_000_000);
        let text = "SIM_CLKDIV1.OUTDIV4: flash clock above 25 MHz";
        env.check_limits(self.tree(env.clocks()), &[(Source::Pclk2, limit, text)]);
    }
}

impl ClockControl for Sim {
    fn tree(&self, clocks: &Clocks) -> Tree {
        let oscillators = clocks.oscillators();
        let out = self.clock.period(clocks);
        let bus = out.times(self.divider(24));
        Tree {
            hclk: out.times(self.divider(28)),
            pclk: bus,
            pclk2: out.times(self.divider(16)),
            timer: bus,
            timer2: bus,
            sysclk: out,
            hsi_kernel: oscillators.hse.map_or(crate::Span::ZERO, |hse| clocks.period(hse)),
            lsi: clocks.period(oscillators.lsi),
            lse: oscillators.lse.map_or(crate::Span::ZERO, |lse| clocks.period(lse)),
            ..Tree::default()
        }
    }

    fn plls(&self, _: &Clocks) -> Vec<Pll> {
        vec![self.clock]
    }

    fn note_reset(&mut self, flag: ResetFlag) {
        self.cause = Some(flag);
    }

    fn force_lsi(&mut self, _: &mut Env<'_, '_>) {}
}

impl Block<Words> for Sim {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(offset, write, env);
        match offset {
            CLKDIV1 if old != new => {
                self.check_limits(env);
                env.effect(Effect::ClocksChanged);
            }
            // Sizes are the part's.
            FCFG1 => self.bank.set(FCFG1, (old & !3) | (new & 3)),
            SDID => self.bank.set(SDID, old),
            _ => {}
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.clock = Mcg::AFTER_RESET;
        let field = |offset| env.context.memory.read(offset, Width::Byte).unwrap_or(0xFF);
        let (fopt, fsec) = (field(FOPT), field(FSEC));
        if fopt & LPBOOT == 0 {
            self.bank.set(CLKDIV1, DIVIDERS_LOW_POWER);
        }
        if fsec & 3 != 2 {
            env.gap(GapKind::Setting, format_args!("the flash configuration field (FSEC at 0x40C) secures the part"));
        }
        if let Some(flag) = self.cause.take() {
            env.effect(Effect::ResetCause { flag });
        }
        env.effect(Effect::ClocksChanged);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
