//! The system control block's own state: what its registers keep, and what they ask of the core.

use crate::decode::Architecture;

/// CCR bits.
pub(super) const NONBASETHRDENA: u32 = 1;
pub(super) const USERSETMPEND: u32 = 1 << 1;
pub(super) const UNALIGN_TRP: u32 = 1 << 3;
pub(super) const DIV_0_TRP: u32 = 1 << 4;
pub(super) const BFHFNMIGN: u32 = 1 << 8;
pub(super) const STKALIGN: u32 = 1 << 9;
/// ACTLR.DISDEFWBUF: stores wait for the bus.
pub(super) const DISDEFWBUF: u32 = 1 << 1;
/// The system control block.
#[derive(Clone, Debug, Default)]
pub struct SystemControl {
    pub(super) v7: bool,
    pub(super) vtor: u32,
    pub(super) scr: u32,
    pub(super) ccr: u32,
    pub(super) actlr: u32,
    pub(super) prigroup: u32,
    pub(super) dfsr: u32,
    pub(super) demcr: u32,
    pub(super) afsr: u32,
    pub(super) cfsr: u32,
    pub(super) hfsr: u32,
    pub(super) mmfar: u32,
    pub(super) bfar: u32,
    /// The EXC_RETURN value of the return that sleep-on-exit put off.
    pub(super) exit_to: Option<u32>,
}

impl SystemControl {
    /// As after reset.
    pub fn new(architecture: Architecture) -> Self {
        let v7 = architecture.is_v7();
        Self {
            v7,
            // Armv6-M has both fixed at one; Armv7-M cores of today begin with STKALIGN.
            ccr: if v7 { STKALIGN } else { STKALIGN | UNALIGN_TRP },
            ..Self::default()
        }
    }

    /// CCR.DIV_0_TRP.
    pub fn traps_division_by_zero(&self) -> bool {
        self.ccr & DIV_0_TRP != 0
    }

    /// CCR.UNALIGN_TRP.
    pub fn traps_unaligned(&self) -> bool {
        self.ccr & UNALIGN_TRP != 0
    }

    /// CCR.BFHFNMIGN.
    pub fn ignores_bus_faults(&self) -> bool {
        self.ccr & BFHFNMIGN != 0
    }

    /// CCR.STKALIGN.
    pub fn aligns_stack(&self) -> bool {
        self.ccr & STKALIGN != 0
    }

    /// CCR.NONBASETHRDENA.
    pub fn allows_thread_return(&self) -> bool {
        self.ccr & NONBASETHRDENA != 0
    }

    /// ACTLR.DISDEFWBUF.
    pub fn write_buffer_off(&self) -> bool {
        self.actlr & DISDEFWBUF != 0
    }

    /// CFSR: what faults there were.
    pub fn fault_status(&self) -> u32 {
        self.cfsr
    }

    /// HFSR.
    pub fn hard_fault_status(&self) -> u32 {
        self.hfsr
    }

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

    /// Tells whether sleep-on-exit keeps an EXC_RETURN back.
    pub fn keeps_exit(&self) -> bool {
        self.exit_to.is_some()
    }

    /// The EXC_RETURN that sleep-on-exit kept back.
    pub fn take_exit(&mut self) -> Option<u32> {
        self.exit_to.take()
    }
}
