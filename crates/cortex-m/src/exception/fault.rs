//! From what went wrong to the exception that answers it: status registers, priorities, escalation (DDI 0403E §B1.5.14).

use cyclescope_machine::{Bus, Peripherals};

use super::{BUS_FAULT, HARD_FAULT, LockedUp, MEM_MANAGE, USAGE_FAULT};
use crate::cpu::{Cpu, Fault, FaultKind};

/// HFSR bits.
pub(super) const VECTTBL: u32 = 1 << 1;
pub(super) const FORCED: u32 = 1 << 30;
/// CFSR's bits that say an address register is valid.
const MMARVALID: u32 = 1 << 7;
const BFARVALID: u32 = 1 << 15;

impl FaultKind {
    /// The bit of CFSR that tells it; 0 for those that have none.
    pub const fn status(self) -> u32 {
        match self {
            Self::FetchAccess => 1,
            Self::DataAccess => 1 << 1,
            Self::UnstackingAccess => 1 << 3,
            Self::StackingAccess => 1 << 4,
            Self::PreservationAccess => 1 << 5,
            Self::FetchBus => 1 << 8,
            Self::PreciseBus => 1 << 9,
            Self::ImpreciseBus => 1 << 10,
            Self::UnstackingBus => 1 << 11,
            Self::StackingBus => 1 << 12,
            Self::PreservationBus => 1 << 13,
            Self::Undefined => 1 << 16,
            Self::InvalidState => 1 << 17,
            Self::InvalidPc => 1 << 18,
            Self::NoCoprocessor => 1 << 19,
            Self::Unaligned => 1 << 24,
            Self::DivideByZero => 1 << 25,
            Self::VectorTable | Self::Escalated => 0,
        }
    }

    /// The name of its bit (DDI 0403E §B3.2.15, §B3.2.16).
    pub const fn bit_name(self) -> &'static str {
        match self {
            Self::FetchAccess => "IACCVIOL",
            Self::DataAccess => "DACCVIOL",
            Self::UnstackingAccess => "MUNSTKERR",
            Self::StackingAccess => "MSTKERR",
            Self::PreservationAccess => "MLSPERR",
            Self::FetchBus => "IBUSERR",
            Self::PreciseBus => "PRECISERR",
            Self::ImpreciseBus => "IMPRECISERR",
            Self::UnstackingBus => "UNSTKERR",
            Self::StackingBus => "STKERR",
            Self::PreservationBus => "LSPERR",
            Self::Undefined => "UNDEFINSTR",
            Self::InvalidState => "INVSTATE",
            Self::InvalidPc => "INVPC",
            Self::NoCoprocessor => "NOCP",
            Self::Unaligned => "UNALIGNED",
            Self::DivideByZero => "DIVBYZERO",
            Self::VectorTable => "VECTTBL",
            Self::Escalated => "FORCED",
        }
    }

    /// The bit of CFSR that says that an address register holds the address of such a fault; 0 where none does.
    const fn address_valid(self) -> u32 {
        match self {
            Self::DataAccess => MMARVALID,
            Self::PreciseBus => BFARVALID,
            _ => 0,
        }
    }

    /// The exception that answers it on Armv7-M, if that is enabled and can preempt.
    const fn exception(self) -> u16 {
        match self.status() {
            0 => HARD_FAULT,
            1..=0xFF => MEM_MANAGE,
            0x100..=0xFFFF => BUS_FAULT,
            _ => USAGE_FAULT,
        }
    }
}

/// The last fault as the architecture tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastFault {
    /// Its kind.
    pub kind: FaultKind,
    /// The number of the exception that answers it where that is enabled.
    pub exception: u16,
    /// CFSR as a handler of the fault reads it; 0 on Armv6-M, which lacks the register.
    pub status: u32,
    /// MMFAR or BFAR holds the address.
    pub has_address: bool,
    /// It is escalated to HardFault, because its own exception is disabled or cannot preempt.
    pub forced: bool,
}

impl Cpu {
    /// The last fault, whether the guest's handler was given it or the run stopped there. The state is then still that of the
    /// instruction that faulted, and the priorities are those that decide about escalation.
    pub fn last_fault_status(&self) -> Option<LastFault> {
        let kind = self.last_fault_kind?;
        if !self.config.architecture.is_v7() {
            return Some(LastFault { kind, exception: HARD_FAULT, status: 0, has_address: false, forced: false });
        }
        let exception = kind.exception();
        let taken = self.scb.cfsr & kind.status() != 0;
        let can = self.nvic.is_enabled(exception) && self.nvic.group_priority(exception) < self.execution_priority();
        let forced = exception != HARD_FAULT && if taken { self.scb.hfsr & FORCED != 0 } else { !can };
        let valid = kind.address_valid();
        let status = self.scb.cfsr | kind.status() | if taken { 0 } else { valid };
        Some(LastFault { kind, exception, status, has_address: status & valid != 0, forced })
    }

    /// Records a fault in the status registers.
    pub(super) fn status(&mut self, fault: Fault) {
        if !self.config.architecture.is_v7() {
            return;
        }
        self.scb.cfsr |= fault.kind.status();
        match (fault.kind, fault.address) {
            (FaultKind::DataAccess, Some(address)) => {
                self.scb.mmfar = address;
                self.scb.cfsr |= MMARVALID;
            }
            (FaultKind::PreciseBus, Some(address)) => {
                self.scb.bfar = address;
                self.scb.cfsr |= BFARVALID;
            }
            (FaultKind::VectorTable, _) => self.scb.hfsr |= VECTTBL,
            _ => {}
        }
    }

    /// The exception that answers `fault` at the priority of what runs: its own if that is enabled and more urgent, else
    /// HardFault.
    fn answer(&mut self, fault: Fault) -> u16 {
        let number = if self.config.architecture.is_v7() { fault.kind.exception() } else { HARD_FAULT };
        let can = self.nvic.is_enabled(number) && self.nvic.group_priority(number) < self.execution_priority();
        if number == HARD_FAULT || !can {
            if fault.kind != FaultKind::VectorTable && self.config.architecture.is_v7() {
                self.scb.hfsr |= FORCED;
            }
            return HARD_FAULT;
        }
        number
    }

    /// Turns a fault at `r[15]` into the architecture's answer, or lockup where none can be taken.
    ///
    /// # Errors
    /// `LockedUp` at HardFault's or NMI's own priority.
    pub fn take_fault<P: Peripherals>(&mut self, bus: &mut Bus<P>, fault: Fault) -> Result<(), LockedUp> {
        self.note_fault(fault);
        self.status(fault);
        let number = self.answer(fault);
        if number == HARD_FAULT && self.execution_priority() <= -1 {
            return Err(LockedUp);
        }
        self.nvic.pend(number);
        self.enter(bus, number)
    }

    /// A fault that no instruction waits for: its exception stays pending until it can preempt, and only one that is
    /// disabled escalates (DUI 0552A §2.4.2, note on IMPRECISERR).
    pub fn pend_fault<P: Peripherals>(&mut self, bus: &mut Bus<P>, fault: Fault) {
        self.status(fault);
        let own = fault.kind.exception();
        if self.nvic.is_enabled(own) {
            self.pend(bus, own, self.now);
        } else {
            self.scb.hfsr |= FORCED;
            self.pend(bus, HARD_FAULT, self.now);
        }
    }

    /// CCR.BFHFNMIGN: at the priority of HardFault and NMI a load or store that fails on the bus is noted and goes on
    /// (DDI 0403E §B3.2.8).
    pub(crate) fn ignore_bus_fault(&mut self, fault: Fault) -> Result<(), Fault> {
        if fault.kind != FaultKind::PreciseBus || !self.scb.ignores_bus_faults() || self.execution_priority() > -1 {
            return Err(fault);
        }
        self.status(fault);
        Ok(())
    }

    /// A fault that arises while the exception `number` is entered, or (0) while one returns: pends its answer, and says
    /// which exception is taken now.
    ///
    /// # Errors
    /// `LockedUp` where no HardFault can be taken.
    pub(super) fn derived(&mut self, fault: Fault, number: u16) -> Result<u16, LockedUp> {
        self.status(fault);
        let answer = self.answer(fault);
        // On Armv7-M a handler runs though its own frame could not be written: a fault does not preempt one of its own kind
        // (DDI 0337E §5.12.1).
        let hopeless = !self.config.architecture.is_v7() && (1..=HARD_FAULT).contains(&number);
        if answer == HARD_FAULT && (self.execution_priority() <= -1 || hopeless) {
            return Err(LockedUp);
        }
        self.nvic.pend(answer);
        let derived_first = number == 0 || self.nvic.priority(answer) < self.nvic.priority(number);
        Ok(if derived_first { answer } else { number })
    }

    /// Returns the FPCCR bits that record the origin of the pending state: privilege, mode, and the faults that could be taken.
    pub(super) fn preservation_origin(&self) -> u32 {
        let priority = self.execution_priority();
        let ready = |number: u16| self.nvic.is_enabled(number) && self.nvic.group_priority(number) < priority;
        u32::from(!self.privileged()) << 1
            | u32::from(self.ipsr == 0) << 3
            | u32::from(priority > -1) << 4
            | u32::from(ready(MEM_MANAGE)) << 5
            | u32::from(ready(BUS_FAULT)) << 6
    }
}
