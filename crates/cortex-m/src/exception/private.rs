//! The private peripheral bus: SysTick, NVIC, the system control block, MPU, floating-point control, DWT, and what of
//! debug is declared.
//!
//! DDI 0419E §B3.2 to §B3.5, DDI 0403E §B3.2 to §B3.5. Registers are words; a narrower access sees its part of the word.

use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Access, Bus, GapKind, Peripherals, Still, Width};

use super::control::*;
use super::{BUS_FAULT, DEBUG_MONITOR, MEM_MANAGE, NMI, PEND_SV, SUPERVISOR_CALL, SYS_TICK, USAGE_FAULT};
use crate::cpu::{Cpu, Fault, FaultKind};
use crate::decode::Architecture;

/// Register addresses, named as printed.
mod register {
    pub const DWT: u32 = 0xE000_1000;
    pub const DWT_END: u32 = 0xE000_1FFF;
    pub const ICTR: u32 = 0xE000_E004;
    pub const ACTLR: u32 = 0xE000_E008;
    pub const SYST_CSR: u32 = 0xE000_E010;
    pub const SYST_RVR: u32 = 0xE000_E014;
    pub const SYST_CVR: u32 = 0xE000_E018;
    pub const SYST_CALIB: u32 = 0xE000_E01C;
    pub const NVIC_ISER: u32 = 0xE000_E100;
    pub const NVIC_ICER: u32 = 0xE000_E180;
    pub const NVIC_ISPR: u32 = 0xE000_E200;
    pub const NVIC_ICPR: u32 = 0xE000_E280;
    pub const NVIC_IABR: u32 = 0xE000_E300;
    pub const NVIC_IPR: u32 = 0xE000_E400;
    pub const CPUID: u32 = 0xE000_ED00;
    pub const ICSR: u32 = 0xE000_ED04;
    pub const VTOR: u32 = 0xE000_ED08;
    pub const AIRCR: u32 = 0xE000_ED0C;
    pub const SCR: u32 = 0xE000_ED10;
    pub const CCR: u32 = 0xE000_ED14;
    pub const SHPR1: u32 = 0xE000_ED18;
    pub const SHPR3: u32 = 0xE000_ED20;
    pub const SHCSR: u32 = 0xE000_ED24;
    pub const CFSR: u32 = 0xE000_ED28;
    pub const HFSR: u32 = 0xE000_ED2C;
    pub const DFSR: u32 = 0xE000_ED30;
    pub const MMFAR: u32 = 0xE000_ED34;
    pub const BFAR: u32 = 0xE000_ED38;
    pub const AFSR: u32 = 0xE000_ED3C;
    pub const ID_PFR0: u32 = 0xE000_ED40;
    pub const ID_ISAR5: u32 = 0xE000_ED74;
    pub const CPACR: u32 = 0xE000_ED88;
    pub const MPU_TYPE: u32 = 0xE000_ED90;
    pub const MPU_CTRL: u32 = 0xE000_ED94;
    pub const MPU_RASR: u32 = 0xE000_EDA0;
    pub const MPU_RASR_A3: u32 = 0xE000_EDB8;
    pub const DHCSR: u32 = 0xE000_EDF0;
    pub const DEMCR: u32 = 0xE000_EDFC;
    pub const STIR: u32 = 0xE000_EF00;
    pub const FPCCR: u32 = 0xE000_EF34;
    pub const FPCAR: u32 = 0xE000_EF38;
    pub const FPDSCR: u32 = 0xE000_EF3C;
    pub const MVFR0: u32 = 0xE000_EF40;
    pub const MVFR1: u32 = 0xE000_EF44;
}

/// AIRCR.VECTKEY as written, and VECTKEYSTAT as read.
const KEY_WRITTEN: u32 = 0x05FA;
const KEY_READ: u32 = 0xFA05;
/// DHCSR.C_DEBUGEN, as a core with a probe attached reads it.
const C_DEBUGEN: u32 = 1;
/// DEMCR.TRCENA.
const TRCENA: u32 = 1 << 24;

/// A bit's number, of a register that may lack it.
type Bit = Option<u32>;

/// The exceptions that SHCSR has bits for: active, pending and enable bit.
const HANDLERS: [(u16, Bit, Bit, Bit); 7] = [
    (MEM_MANAGE, Some(0), Some(13), Some(16)),
    (BUS_FAULT, Some(1), Some(14), Some(17)),
    (USAGE_FAULT, Some(3), Some(12), Some(18)),
    (SUPERVISOR_CALL, Some(7), Some(15), None),
    (DEBUG_MONITOR, Some(8), None, None),
    (PEND_SV, Some(10), None, None),
    (SYS_TICK, Some(11), None, None),
];

/// Tells whether only the ones written to the register matter. A narrow write must then write zeros to the other bits, not
/// what it read from them.
fn acts_by_ones(address: u32) -> bool {
    use register::*;
    matches!(address, NVIC_ISER..NVIC_IPR | ICSR | CFSR | HFSR | DFSR | AFSR | STIR)
}

fn word_index(address: u32, first: u32) -> u16 {
    ((address - first) / 4) as u16
}

impl Cpu {
    /// A read of the private peripheral bus.
    pub(crate) fn read_private<P: Peripherals>(&mut self, bus: &mut Bus<P>, access: Access) -> Result<u32, Fault> {
        self.check_privilege(access)?;
        let address = access.address.get();
        let word = self.read_word(bus, address & !3, access);
        Ok(word >> (8 * (address & 3)))
    }

    /// The cycles in which the register at `address` shows the same: SYST_CSR until SysTick reaches zero. Reading it after that
    /// clears COUNTFLAG.
    pub(crate) fn still_private(&self, address: u32) -> Option<Still> {
        (address & !3 == register::SYST_CSR && !self.systick.counted).then(|| Still::until(self.systick.next_expiry()))
    }

    /// A write to the private peripheral bus.
    pub(crate) fn write_private<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        access: Access,
        value: u32,
    ) -> Result<(), Fault> {
        self.check_privilege(access)?;
        let address = access.address.get();
        if access.width == Width::Word {
            self.write_word(bus, address, value, access);
            return Ok(());
        }
        let shift = 8 * (address & 3);
        let mask = access.width.mask() << shift;
        let old = if acts_by_ones(address & !3) { 0 } else { self.read_word(bus, address & !3, access) };
        self.write_word(bus, address & !3, old & !mask | value << shift & mask, access);
        Ok(())
    }

    fn check_privilege(&self, access: Access) -> Result<(), Fault> {
        let address = access.address.get();
        let stir = address == register::STIR && self.scb.ccr & USERSETMPEND != 0;
        if stir || self.privileged() && !self.acts_unprivileged {
            return Ok(());
        }
        let cause = "unprivileged access to the private peripheral bus";
        Err(Fault { kind: FaultKind::PreciseBus, cause, address: Some(address) })
    }

    fn read_word<P: Peripherals>(&mut self, bus: &mut Bus<P>, address: u32, access: Access) -> u32 {
        use register::*;
        let now = access.at.get();
        if self.systick.run_to(now) {
            self.pend(bus, SYS_TICK, now);
        }
        match address {
            ACTLR => self.scb.actlr,
            SYST_CSR => self.systick.take_control(),
            SYST_RVR => self.systick.reload(),
            SYST_CVR => self.systick.value(now),
            SYST_CALIB => self.systick.calibration,
            NVIC_ISER..=0xE000_E13C => self.nvic.enabled_word(word_index(address, NVIC_ISER)),
            NVIC_ICER..=0xE000_E1BC => self.nvic.enabled_word(word_index(address, NVIC_ICER)),
            NVIC_ISPR..=0xE000_E23C => self.nvic.pending_word(word_index(address, NVIC_ISPR)),
            NVIC_ICPR..=0xE000_E2BC => self.nvic.pending_word(word_index(address, NVIC_ICPR)),
            NVIC_IABR..=0xE000_E33C if self.scb.v7 => self.nvic.active_word(word_index(address, NVIC_IABR)),
            NVIC_IPR..=0xE000_E4EC => self.priorities(16 + 4 * word_index(address, NVIC_IPR)),
            CPUID => self.config.cpuid,
            ICSR => self.icsr(),
            VTOR => self.scb.vtor,
            AIRCR => KEY_READ << 16 | self.scb.prigroup << 8,
            SCR => self.scb.scr,
            CCR => self.scb.ccr,
            SHPR1..=SHPR3 => self.priorities(4 + 4 * word_index(address, SHPR1)),
            SHCSR => self.shcsr(),
            CFSR if self.scb.v7 => self.scb.cfsr,
            HFSR if self.scb.v7 => self.scb.hfsr,
            MMFAR if self.scb.v7 => self.scb.mmfar,
            BFAR if self.scb.v7 => self.scb.bfar,
            AFSR if self.scb.v7 => self.scb.afsr,
            ID_PFR0..=ID_ISAR5 if self.scb.v7 => self.feature(address),
            ICTR if self.scb.v7 => u32::from(self.config.interrupts.saturating_sub(1)) / 32,
            DWT..=DWT_END if self.scb.v7 => match self.dwt.read(address - DWT, now, access.pc.get()) {
                Some(value) => value,
                None => {
                    self.private_gap(bus, GapKind::RegisterRead, access);
                    0
                }
            },
            CPACR if self.config.architecture.has_fpu() => self.fp.cpacr(),
            FPCCR if self.config.architecture.has_fpu() => self.fp.fpccr(),
            FPCAR if self.config.architecture.has_fpu() => self.fp.fpcar,
            FPDSCR if self.config.architecture.has_fpu() => self.fp.fpdscr(),
            // DDI 0439 §7.3: single precision, no double, square root and division, fused multiply-accumulate.
            MVFR0 if self.config.architecture.has_fpu() => 0x1011_0021,
            MVFR1 if self.config.architecture.has_fpu() => 0x1100_0011,
            CPACR | FPCCR..=MVFR1 if self.scb.v7 => 0,
            DFSR => self.scb.dfsr,
            MPU_TYPE => self.mpu.kind(),
            MPU_CTRL..=MPU_RASR => self.mpu.read(address - MPU_CTRL),
            MPU_CTRL..=MPU_RASR_A3 if self.scb.v7 => self.mpu.read(address - MPU_CTRL),
            DHCSR => u32::from(self.config.semihosting) * C_DEBUGEN,
            DEMCR => self.scb.demcr,
            _ => {
                self.private_gap(bus, GapKind::RegisterRead, access);
                0
            }
        }
    }

    fn write_word<P: Peripherals>(&mut self, bus: &mut Bus<P>, address: u32, value: u32, access: Access) {
        use register::*;
        let now = access.at.get();
        if self.systick.run_to(now) {
            self.pend(bus, SYS_TICK, now);
        }
        match address {
            SYST_CSR => self.systick.set_control(value, now),
            SYST_RVR => self.systick.set_reload(value, now),
            SYST_CVR => self.systick.clear(now),
            NVIC_ISER..=0xE000_E13C => self.nvic.enable_word(word_index(address, NVIC_ISER), value, true),
            NVIC_ICER..=0xE000_E1BC => self.nvic.enable_word(word_index(address, NVIC_ICER), value, false),
            NVIC_ISPR..=0xE000_E23C => {
                for number in self.nvic.numbers(word_index(address, NVIC_ISPR), value) {
                    self.pend(bus, number, now);
                }
            }
            NVIC_ICPR..=0xE000_E2BC => {
                self.nvic.unpend_word(word_index(address, NVIC_ICPR), value, &bus.shared.interrupts);
            }
            NVIC_IPR..=0xE000_E4EC => self.set_priorities(16 + 4 * word_index(address, NVIC_IPR), value),
            ICSR => self.set_icsr(bus, value, now),
            // The table is aligned to 128 bytes at least (DDI 0484C §4.1: bits 31:7).
            VTOR => self.scb.vtor = value & !0x7F,
            AIRCR if value >> 16 == KEY_WRITTEN => {
                if value & 1 << 2 != 0 {
                    bus.shared.reset = Some("software reset (AIRCR.SYSRESETREQ)");
                }
                if self.scb.v7 {
                    self.scb.prigroup = value >> 8 & 7;
                    self.nvic.set_grouping(self.scb.prigroup);
                }
            }
            AIRCR => {}
            SCR => self.scb.scr = value & 0b1_0110,
            SHPR1..=SHPR3 => self.set_priorities(4 + 4 * word_index(address, SHPR1), value),
            SHCSR => self.set_shcsr(value),
            ACTLR if self.scb.v7 => self.scb.actlr = value,
            CCR if self.scb.v7 => {
                self.scb.ccr = value & (NONBASETHRDENA | USERSETMPEND | UNALIGN_TRP | DIV_0_TRP | BFHFNMIGN | STKALIGN);
            }
            CFSR if self.scb.v7 => self.scb.cfsr &= !value,
            HFSR if self.scb.v7 => self.scb.hfsr &= !value,
            MMFAR if self.scb.v7 => self.scb.mmfar = value,
            BFAR if self.scb.v7 => self.scb.bfar = value,
            AFSR if self.scb.v7 => self.scb.afsr &= !value,
            STIR if self.scb.v7 => {
                for number in self.nvic.numbers((value & 0x1FF) as u16 / 32, 1 << (value % 32)) {
                    self.pend(bus, number, now);
                }
            }
            DWT..=DWT_END if self.scb.v7 => {
                if !self.dwt.write(address - DWT, value, now) {
                    self.private_gap(bus, GapKind::RegisterWrite, access);
                }
            }
            CPACR if self.config.architecture.has_fpu() => {
                self.fp.set_cpacr(value);
                self.update_fp_ready();
            }
            FPCCR if self.config.architecture.has_fpu() => {
                self.fp.set_fpccr(value);
                self.update_fp_ready();
            }
            FPCAR if self.config.architecture.has_fpu() => self.fp.fpcar = value & !7,
            FPDSCR if self.config.architecture.has_fpu() => self.fp.set_fpdscr(value),
            NVIC_IABR..=0xE000_E33C | ICTR | ID_PFR0..=ID_ISAR5 | CPACR | FPCCR..=MVFR1 if self.scb.v7 => {}
            DFSR => self.scb.dfsr &= !value,
            MPU_CTRL..=MPU_RASR => self.mpu.write(address - MPU_CTRL, value),
            MPU_CTRL..=MPU_RASR_A3 if self.scb.v7 => self.mpu.write(address - MPU_CTRL, value),
            DEMCR => {
                self.scb.demcr = value;
                self.dwt.set_tracing(value & TRCENA != 0, now);
            }
            // Read-only, or without effect on this core.
            ACTLR | SYST_CALIB | CPUID | CCR | MPU_TYPE | DHCSR => {}
            _ => self.private_gap(bus, GapKind::RegisterWrite, access),
        }
    }

    fn private_gap<P: Peripherals>(&self, bus: &mut Bus<P>, kind: GapKind, access: Access) {
        let name = format!("private peripheral bus register {}", access.address);
        bus.shared.meet_gap(kind, &name, access.pc, Cycles::new(access.at.get()));
    }

    /// Four priority fields from exception `first` on.
    fn priorities(&self, first: u16) -> u32 {
        let bytes = std::array::from_fn(|lane| {
            let number = first + lane as u16;
            // Reset, NMI and HardFault have no field.
            if (4..256).contains(&number) { self.nvic.priority(number) as u8 } else { 0 }
        });
        u32::from_le_bytes(bytes)
    }

    fn set_priorities(&mut self, first: u16, value: u32) {
        for (number, priority) in (first..).zip(value.to_le_bytes()) {
            // On Armv6-M only SVCall, PendSV and SysTick of the system exceptions have a field.
            let fault = matches!(number, MEM_MANAGE | BUS_FAULT | USAGE_FAULT | DEBUG_MONITOR);
            if matches!(number, SUPERVISOR_CALL | PEND_SV | SYS_TICK | 16..=255) || self.scb.v7 && fault {
                self.nvic.set_priority(number, priority);
            }
        }
    }

    fn icsr(&self) -> u32 {
        u32::from(self.nvic.is_pending(NMI)) << 31
            | u32::from(self.nvic.is_pending(PEND_SV)) << 28
            | u32::from(self.nvic.is_pending(SYS_TICK)) << 26
            | u32::from(self.nvic.interrupt_pending()) << 22
            | u32::from(self.scb.v7 && self.nvic.active_count() <= 1) << 11
            | u32::from(self.nvic.highest_pending()) << 12
            | u32::from(self.ipsr)
    }

    fn set_icsr<P: Peripherals>(&mut self, bus: &mut Bus<P>, value: u32, now: u64) {
        if value & 1 << 31 != 0 {
            self.pend(bus, NMI, now);
        }
        for (number, set, clear) in [(PEND_SV, 28, 27), (SYS_TICK, 26, 25)] {
            if value & 1 << set != 0 {
                self.pend(bus, number, now);
            } else if value & 1 << clear != 0 {
                self.nvic.unpend(number);
            }
        }
    }

    /// SHCSR: which system handlers are active, pending and enabled.
    fn shcsr(&self) -> u32 {
        if !self.scb.v7 {
            return u32::from(self.nvic.is_pending(SUPERVISOR_CALL)) << 15;
        }
        HANDLERS.iter().fold(0, |bits, (number, active, pending, enable)| {
            let bit = |at: Option<u32>, set: bool| at.map_or(0, |at| u32::from(set) << at);
            bits | bit(*active, self.nvic.is_active(*number))
                | bit(*pending, self.nvic.is_pending(*number))
                | bit(*enable, self.nvic.is_enabled(*number))
        })
    }

    fn set_shcsr(&mut self, value: u32) {
        for (number, active, pending, enable) in HANDLERS {
            let bit = |at: u32| value >> at & 1 != 0;
            if let Some(pending) = pending.filter(|_| self.scb.v7 || number == SUPERVISOR_CALL) {
                if bit(pending) {
                    self.nvic.pend(number);
                } else {
                    self.nvic.unpend(number);
                }
            }
            if let Some(active) = active.filter(|_| self.scb.v7) {
                self.nvic.set_active(number, bit(active));
            }
            if let Some(enable) = enable.filter(|_| self.scb.v7) {
                self.nvic.enable_fault(number, bit(enable));
            }
        }
    }

    /// The feature registers ID_PFR0 to ID_ISAR5 (DDI 0337I table 4-1, DDI 0439 table 4-1).
    fn feature(&self, address: u32) -> u32 {
        const M3: [u32; 13] = [
            0x30,
            0x200,
            0x0010_0000,
            0,
            0x0010_0030,
            0,
            0x0100_0000,
            0,
            0x0110_1110,
            0x0211_2000,
            0x2123_2231,
            0x0111_1131,
            0x0131_0102,
        ];
        let index = ((address - register::ID_PFR0) / 4) as usize;
        let value = M3.get(index).copied().unwrap_or(0);
        if self.config.architecture == Architecture::Armv7M {
            return value;
        }
        match index {
            8 => 0x0114_1110,
            9 => 0x0211_2000,
            10 => 0x2123_2231,
            11 => 0x0111_1131,
            12 => 0x0131_0132,
            _ => value,
        }
    }
}
