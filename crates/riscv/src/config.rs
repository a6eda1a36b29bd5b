//! The configuration of a core, as its part sets it.

use crate::csr::{self, Row};
use crate::decode::Extensions;
use crate::timing::{self, CoreTiming};

/// The behaviour of a load or store whose address is not a multiple of its width. Atomic instructions always trap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misaligned {
    /// Two accesses to aligned words, as on Ibex.
    Hardware,
    /// The exception "address misaligned" (on PicoRV32 its bus error interrupt).
    Trap,
}

/// The modes of `mtvec` that a core has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrapVector {
    /// Direct or vectored, as software chooses.
    Either,
    /// Direct only.
    Direct,
    /// Vectored always, the base aligned to 256 bytes: Ibex.
    Vectored,
}

/// The privileged architecture as a core has it: RISC-V Privileged Architecture 20211203, chapter 3.
#[derive(Clone, Copy, Debug)]
pub struct Privileged {
    /// The CSRs there are. Any other number is an illegal instruction.
    pub csrs: &'static [Row],
    /// True if there is a user mode.
    pub user_mode: bool,
    /// Entries of physical memory protection: 0 to 16.
    pub pmp_regions: u8,
    /// G: the smallest region has 2^(G+2) bytes.
    pub pmp_granularity: u8,
    /// True if it is VexRiscv's PmpPlugin.
    pub pmp_plugin: bool,
    /// True if there is Smepmp: mseccfg, with the protection of M mode from itself.
    pub smepmp: bool,
    /// The modes that mtvec allows.
    pub vector: TrapVector,
    /// The trap vector's base after a reset.
    pub vector_reset: u32,
    /// The interrupts that it has, as bits of mie and mip.
    pub interrupts: u32,
    /// Their numbers, the most urgent first.
    pub order: &'static [u8],
    /// The line of the non-maskable interrupt, which is also its number.
    pub nmi: Option<u8>,
    /// True if lines 32 to 63 are VexRiscv's external interrupt array: MEIP is then any of them that its mask lets through.
    pub external_array: bool,
    /// True if LR.W reserves every address: VexRiscv.
    pub reserves_anywhere: bool,
    /// True if exceptions count in cpuctrlsts as on Ibex (sync_exc_seen, double_fault_seen).
    pub counts_faults: bool,
}

impl Privileged {
    /// Ibex: its Reference Guide, "Exceptions and Interrupts". Fast interrupts go first, the lowest first. Without PMP;
    /// `boot` is boot_addr_i, from which mtvec begins.
    pub const fn ibex(boot: u32) -> Self {
        Self {
            csrs: csr::IBEX,
            user_mode: true,
            pmp_regions: 0,
            pmp_granularity: 0,
            pmp_plugin: false,
            smepmp: false,
            vector: TrapVector::Vectored,
            vector_reset: boot & !0xFF,
            interrupts: 0x7FFF_0888,
            order: &[16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 11, 3, 7],
            nmi: Some(31),
            external_array: false,
            reserves_anywhere: false,
            counts_faults: true,
        }
    }

    /// VexRiscv with user mode, `pmp_regions` of the PMP, and its external interrupt array.
    pub const fn vexriscv(pmp_regions: u8) -> Self {
        Self {
            csrs: csr::VEXRISCV,
            vector: TrapVector::Direct,
            external_array: true,
            reserves_anywhere: true,
            ..Self::plain(pmp_regions)
        }
    }

    /// A core as the privileged architecture has it.
    pub const fn plain(pmp_regions: u8) -> Self {
        Self {
            csrs: csr::PLAIN,
            user_mode: true,
            pmp_regions,
            pmp_granularity: 0,
            pmp_plugin: false,
            smepmp: false,
            vector: TrapVector::Either,
            vector_reset: 0,
            interrupts: 0x888,
            order: &[11, 3, 7],
            nmi: None,
            external_array: false,
            reserves_anywhere: false,
            counts_faults: false,
        }
    }
}

/// The parameters that a part builds PicoRV32 with.
#[derive(Clone, Copy, Debug)]
pub struct PicoConfig {
    /// PROGADDR_IRQ.
    pub vector: u32,
    /// LATCHED_IRQ: the inputs whose pulses are kept.
    pub latched: u32,
    /// MASKED_IRQ: the inputs there are not.
    pub absent: u32,
    /// STACKADDR: what x2 is after a reset; all ones for nothing.
    pub stack: u32,
}

impl PicoConfig {
    /// As picorv32.v has them by default.
    pub const DEFAULT: Self = Self { vector: 0x10, latched: u32::MAX, absent: 0, stack: u32::MAX };
}

/// The interrupts and exceptions of a core.
#[derive(Clone, Copy, Debug)]
pub enum Traps {
    /// Traps to M mode.
    Privileged(Privileged),
    /// PicoRV32's interrupts. A fault that raises none halts the core.
    Pico(PicoConfig),
}

impl Traps {
    /// The control and status registers that come with them.
    pub fn csrs(&self) -> &'static [Row] {
        match self {
            Self::Privileged(core) => core.csrs,
            Self::Pico(_) => csr::PICORV32,
        }
    }
}

/// The configuration of a core, as its part sets it.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Cycles.
    pub timing: &'static CoreTiming,
    /// The extensions that it has.
    pub extensions: Extensions,
    /// The behaviour of misaligned loads and stores.
    pub misaligned: Misaligned,
    /// Its interrupts and exceptions.
    pub traps: Traps,
    /// The address at which execution begins after a reset.
    pub reset: u32,
    /// mhartid.
    pub hart: u32,
    /// True if EBREAK between SLLI x0, x0, 31 and SRAI x0, x0, 7 is a semihosting call ("RISC-V Semihosting" 0.4).
    pub semihosting: bool,
}

impl Config {
    /// The privileged architecture, if it has one.
    pub const fn privileged(&self) -> Option<&Privileged> {
        match &self.traps {
            Traps::Privileged(privileged) => Some(privileged),
            Traps::Pico(_) => None,
        }
    }

    /// misa: RV32I and the extensions there are, U mode among them (RISC-V Privileged Architecture 20211203, §3.1.1).
    pub const fn misa(&self) -> u32 {
        const fn letter(letter: u8, has: bool) -> u32 {
            (has as u32) << (letter - b'A')
        }
        let Extensions { m, a, c, .. } = self.extensions;
        let user = matches!(self.privileged(), Some(Privileged { user_mode: true, .. }));
        let letters = letter(b'A', a) | letter(b'C', c) | letter(b'I', true) | letter(b'M', m) | letter(b'U', user);
        // MXL: 32 bits.
        1 << 30 | letters
    }

    /// Entries of physical memory protection.
    pub const fn pmp_regions(&self) -> u8 {
        match &self.traps {
            Traps::Privileged(privileged) => privileged.pmp_regions,
            Traps::Pico(_) => 0,
        }
    }
}

/// A variant of VexRiscv whose Verilog the package of LiteX has (PyPI pythondata-cpu-vexriscv).
#[derive(Clone, Copy, Debug)]
pub struct VexRiscv {
    /// Its name there.
    pub name: &'static str,
    /// Its cycles.
    pub timing: &'static CoreTiming,
    /// Its extensions.
    pub extensions: Extensions,
    /// It has user mode and a PMP of 16 entries.
    pub secure: bool,
}

impl VexRiscv {
    const BASE: Extensions = Extensions { c: false, ..Extensions::IMC };
    const CACHED: Extensions = Extensions { data_cache: true, ..Self::BASE };

    /// The variant `min`.
    pub const MIN: Self = Self::new("min", &timing::VEXRISCV_MIN, Extensions { m: false, ..Self::BASE });
    /// The variant `lite`.
    pub const LITE: Self = Self::new("lite", &timing::VEXRISCV_LITE, Self::BASE);
    /// The variant `standard`.
    pub const STANDARD: Self = Self::new("standard", &timing::VEXRISCV_STANDARD, Self::CACHED);
    /// The variant `full`.
    pub const FULL: Self = Self::new("full", &timing::VEXRISCV_FULL, Self::CACHED);
    /// The variant `imac`.
    pub const IMAC: Self =
        Self::new("imac", &timing::VEXRISCV_IMAC, Extensions { c: true, zalrsc: true, ..Self::CACHED });
    /// The variant `secure`.
    pub const SECURE: Self = Self { secure: true, ..Self::new("secure", &timing::VEXRISCV_SECURE, Self::CACHED) };
    /// All variants.
    pub const ALL: [Self; 6] = [Self::MIN, Self::LITE, Self::STANDARD, Self::FULL, Self::IMAC, Self::SECURE];

    const fn new(name: &'static str, timing: &'static CoreTiming, extensions: Extensions) -> Self {
        Self { name, timing, extensions, secure: false }
    }

    /// Returns its configuration; it begins at `reset`.
    pub const fn config(self, reset: u32) -> Config {
        let privileged = Privileged::vexriscv(if self.secure { 16 } else { 0 });
        Config {
            timing: self.timing,
            extensions: self.extensions,
            misaligned: Misaligned::Trap,
            traps: Traps::Privileged(Privileged { user_mode: self.secure, pmp_plugin: true, ..privileged }),
            reset,
            hart: 0,
            semihosting: true,
        }
    }
}
