//! The private peripheral bus: SysTick, NVIC, the system control block, and what of MPU and debug is declared.
//!
//! DDI 0419E §B3.2 to §B3.5. Registers are words; a narrower access sees its part of the word.

use cyclescope_machine::{Access, Bus, GapKind, Peripherals, Width};
use cyclescope_units::Cycles;

use super::{NMI, PEND_SV, SUPERVISOR_CALL, SYS_TICK};
use crate::cpu::{Cpu, Fault};

/// Register addresses, named as printed.
mod register {
    pub const ACTLR: u32 = 0xE000_E008;
    pub const SYST_CSR: u32 = 0xE000_E010;
    pub const SYST_RVR: u32 = 0xE000_E014;
    pub const SYST_CVR: u32 = 0xE000_E018;
    pub const SYST_CALIB: u32 = 0xE000_E01C;
    pub const NVIC_ISER: u32 = 0xE000_E100;
    pub const NVIC_ICER: u32 = 0xE000_E180;
    pub const NVIC_ISPR: u32 = 0xE000_E200;
    pub const NVIC_ICPR: u32 = 0xE000_E280;
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
    pub const DFSR: u32 = 0xE000_ED30;
    pub const MPU_TYPE: u32 = 0xE000_ED90;
    pub const MPU_CTRL: u32 = 0xE000_ED94;
    pub const MPU_RNR: u32 = 0xE000_ED98;
    pub const MPU_RBAR: u32 = 0xE000_ED9C;
    pub const MPU_RASR: u32 = 0xE000_EDA0;
    pub const DHCSR: u32 = 0xE000_EDF0;
    pub const DEMCR: u32 = 0xE000_EDFC;
}

/// AIRCR.VECTKEY as written, and VECTKEYSTAT as read.
const KEY_WRITTEN: u32 = 0x05FA;
const KEY_READ: u32 = 0xFA05;
/// CCR of Armv6-M: STKALIGN and UNALIGN_TRP are fixed at one.
const CCR_VALUE: u32 = 1 << 9 | 1 << 3;
/// DHCSR.C_DEBUGEN, as a core with a probe attached reads it.
const C_DEBUGEN: u32 = 1;

/// MPU regions at most (PMSAv6 and v7: up to 16).
const REGIONS: usize = 16;

/// The system control block.
#[derive(Clone, Debug, Default)]
pub struct SystemControl {
    vtor: u32,
    scr: u32,
    dfsr: u32,
    demcr: u32,
    mpu_ctrl: u32,
    mpu_rnr: u32,
    mpu_regions: [(u32, u32); REGIONS],
    /// Where sleep-on-exit would have returned to.
    pub(super) exit_to: Option<u32>,
}

impl SystemControl {
    /// VTOR.
    pub fn vector_table(&self) -> u32 {
        self.vtor
    }

    /// SCR.SLEEPONEXIT.
    pub fn sleep_on_exit(&self) -> bool {
        self.scr & 1 << 1 != 0
    }

    /// SCR.SLEEPDEEP.
    pub fn deep_sleep(&self) -> bool {
        self.scr & 1 << 2 != 0
    }

    /// SCR.SEVONPEND.
    pub fn send_event_on_pending(&self) -> bool {
        self.scr & 1 << 4 != 0
    }

    /// The EXC_RETURN that sleep-on-exit kept back.
    pub fn take_exit(&mut self) -> Option<u32> {
        self.exit_to.take()
    }
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
        let old = self.read_word(bus, address & !3, access);
        self.write_word(bus, address & !3, old & !mask | value << shift & mask, access);
        Ok(())
    }

    fn check_privilege(&self, access: Access) -> Result<(), Fault> {
        if self.privileged() {
            return Ok(());
        }
        let cause = "unprivileged access to the private peripheral bus";
        Err(Fault { cause, address: Some(access.address.get()) })
    }

    fn read_word<P: Peripherals>(&mut self, bus: &mut Bus<P>, address: u32, access: Access) -> u32 {
        use register::*;
        let now = access.at.get();
        if self.systick.run_to(now) {
            self.pend(bus, SYS_TICK, now);
        }
        match address {
            ACTLR => 0,
            SYST_CSR => self.systick.take_control(),
            SYST_RVR => self.systick.reload(),
            SYST_CVR => self.systick.value(now),
            SYST_CALIB => self.systick.calibration,
            NVIC_ISER..=0xE000_E13C => self.nvic.enabled_word(word_index(address, NVIC_ISER)),
            NVIC_ICER..=0xE000_E1BC => self.nvic.enabled_word(word_index(address, NVIC_ICER)),
            NVIC_ISPR..=0xE000_E23C => self.nvic.pending_word(word_index(address, NVIC_ISPR)),
            NVIC_ICPR..=0xE000_E2BC => self.nvic.pending_word(word_index(address, NVIC_ICPR)),
            NVIC_IPR..=0xE000_E4EC => self.priorities(16 + 4 * word_index(address, NVIC_IPR)),
            CPUID => self.config.cpuid,
            ICSR => self.icsr(),
            VTOR => self.scb.vtor,
            AIRCR => KEY_READ << 16,
            SCR => self.scb.scr,
            CCR => CCR_VALUE,
            SHPR1..=SHPR3 => self.priorities(4 + 4 * word_index(address, SHPR1)),
            SHCSR => u32::from(self.nvic.is_pending(SUPERVISOR_CALL)) << 15,
            DFSR => self.scb.dfsr,
            MPU_TYPE => u32::from(self.config.mpu_regions) << 8,
            MPU_CTRL..=MPU_RASR if self.config.mpu_regions > 0 => self.read_mpu(address),
            MPU_CTRL..=MPU_RASR => 0,
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
            AIRCR => {
                if value >> 16 == KEY_WRITTEN && value & 1 << 2 != 0 {
                    bus.shared.reset = Some("software reset (AIRCR.SYSRESETREQ)");
                }
            }
            SCR => self.scb.scr = value & 0b1_0110,
            SHPR1..=SHPR3 => self.set_priorities(4 + 4 * word_index(address, SHPR1), value),
            SHCSR => {
                if value & 1 << 15 != 0 {
                    self.nvic.pend(SUPERVISOR_CALL);
                } else {
                    self.nvic.unpend(SUPERVISOR_CALL);
                }
            }
            DFSR => self.scb.dfsr &= !value,
            MPU_CTRL..=MPU_RASR if self.config.mpu_regions > 0 => self.write_mpu(bus, address, value, access),
            DEMCR => self.scb.demcr = value,
            // Read-only, or without effect on this core.
            ACTLR | SYST_CALIB | CPUID | CCR | MPU_TYPE | DHCSR | MPU_CTRL..=MPU_RASR => {}
            _ => self.private_gap(bus, GapKind::RegisterWrite, access),
        }
    }

    fn private_gap<P: Peripherals>(&self, bus: &mut Bus<P>, kind: GapKind, access: Access) {
        let name = format!("private peripheral bus register {}", access.address);
        bus.shared.gaps.meet(kind, &name, access.pc, Cycles::new(access.at.get()));
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
            if matches!(number, SUPERVISOR_CALL | PEND_SV | SYS_TICK | 16..=255) {
                self.nvic.set_priority(number, priority);
            }
        }
    }

    fn icsr(&self) -> u32 {
        u32::from(self.nvic.is_pending(NMI)) << 31
            | u32::from(self.nvic.is_pending(PEND_SV)) << 28
            | u32::from(self.nvic.is_pending(SYS_TICK)) << 26
            | u32::from(self.nvic.interrupt_pending()) << 22
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

    fn read_mpu(&self, address: u32) -> u32 {
        let region = self.scb.mpu_regions[self.scb.mpu_rnr as usize % REGIONS];
        match address {
            register::MPU_CTRL => self.scb.mpu_ctrl,
            register::MPU_RNR => self.scb.mpu_rnr,
            register::MPU_RBAR => region.0 | self.scb.mpu_rnr & 0xF,
            _ => region.1,
        }
    }

    /// The MPU's registers keep what is written; that it then protects nothing is a named gap.
    fn write_mpu<P: Peripherals>(&mut self, bus: &mut Bus<P>, address: u32, value: u32, access: Access) {
        let select = |number: u32| number % u32::from(self.config.mpu_regions);
        match address {
            register::MPU_CTRL => {
                self.scb.mpu_ctrl = value & 7;
                if value & 1 != 0 {
                    bus.shared.gaps.meet(GapKind::Setting, "MPU_CTRL.ENABLE", access.pc, access.at);
                }
            }
            register::MPU_RNR => self.scb.mpu_rnr = select(value & 0xFF),
            register::MPU_RBAR => {
                if value & 1 << 4 != 0 {
                    self.scb.mpu_rnr = select(value & 0xF);
                }
                self.scb.mpu_regions[self.scb.mpu_rnr as usize % REGIONS].0 = value & !0xFF;
            }
            _ => self.scb.mpu_regions[self.scb.mpu_rnr as usize % REGIONS].1 = value,
        }
    }
}
