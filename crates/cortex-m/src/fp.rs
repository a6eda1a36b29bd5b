//! The registers of the floating-point extension (DDI 0403E §A2.5, §B1.5.7, §B3.2.20 to B3.2.24).

use crate::float::Fpscr;

/// FPCCR.LSPACT: state waits to be preserved.
const LSPACT: u32 = 1;
/// FPCCR.USER.
const USER: u32 = 1 << 1;
/// The FPCCR bits that record the origin of the pending state: USER, THREAD, HFRDY, MMRDY, BFRDY, MONRDY.
const ORIGIN: u32 = 0b1_0111_1010;
/// FPCCR.LSPEN: preservation waits until it is needed.
const LSPEN: u32 = 1 << 30;
/// FPCCR.ASPEN: using the unit sets CONTROL.FPCA.
const ASPEN: u32 = 1 << 31;

/// Floating-point registers and control.
#[derive(Clone, Debug, Default)]
pub struct FpState {
    /// S0 to S31.
    pub singles: [u32; 32],
    /// Status and control.
    pub fpscr: Fpscr,
    /// CONTROL.FPCA: the current context has floating-point state.
    pub active: bool,
    /// FPCAR: where entry left space.
    pub fpcar: u32,
    /// True if floating-point instructions run without further checks.
    pub ready: bool,
    cpacr: u32,
    fpccr: u32,
    fpdscr: u32,
}

impl FpState {
    /// As after reset.
    pub fn new() -> Self {
        Self { fpccr: ASPEN | LSPEN, ..Self::default() }
    }

    /// S0 to S15 and FPSCR, as an exception frame has them.
    pub(crate) fn words(&self) -> [u32; 17] {
        std::array::from_fn(|number| if number < 16 { self.singles[number] } else { self.fpscr.bits() })
    }

    /// CPACR: access to coprocessors 10 and 11.
    pub fn cpacr(&self) -> u32 {
        self.cpacr
    }

    /// Writes CPACR; only the fields of the floating-point unit are there.
    pub fn set_cpacr(&mut self, value: u32) {
        self.cpacr = value & 0x00F0_0000;
    }

    /// FPCCR.
    pub fn fpccr(&self) -> u32 {
        self.fpccr
    }

    /// Writes FPCCR.
    pub fn set_fpccr(&mut self, value: u32) {
        self.fpccr = value & (ASPEN | LSPEN | ORIGIN | LSPACT);
    }

    /// FPDSCR: the control bits that a new context begins with.
    pub fn fpdscr(&self) -> u32 {
        self.fpdscr
    }

    /// Writes FPDSCR.
    pub fn set_fpdscr(&mut self, value: u32) {
        self.fpdscr = value & Fpscr::CONTROL;
    }

    /// Tells whether code of that privilege may use the unit.
    pub fn accessible(&self, privileged: bool) -> bool {
        match self.cpacr >> 20 & 3 {
            1 => privileged,
            3 => true,
            _ => false,
        }
    }

    /// Tells whether no preservation is pending, and the context is marked as having state or FPCCR.ASPEN is clear.
    pub fn settled(&self) -> bool {
        !self.preservation_pending() && (self.active || self.fpccr & ASPEN == 0)
    }

    /// FPCCR.USER: the state that waits is that of unprivileged code.
    pub fn is_of_unprivileged(&self) -> bool {
        self.fpccr & USER != 0
    }

    /// FPCCR.LSPACT.
    pub fn preservation_pending(&self) -> bool {
        self.fpccr & LSPACT != 0
    }

    /// Marks the context as having state, with the default control bits if it had none.
    pub fn begin_context(&mut self) {
        if self.fpccr & ASPEN != 0 && !self.active {
            self.active = true;
            // The flags stay (ExecuteFPCheck(), DDI 0403E §B1.5.7).
            self.fpscr = Fpscr::from_bits(self.fpscr.bits() & !Fpscr::CONTROL | self.fpdscr);
        }
    }

    /// Preservation is done.
    pub fn preserved(&mut self) {
        self.fpccr &= !LSPACT;
        self.fpscr = Fpscr::from_bits(self.fpdscr);
    }

    /// Tells whether exception entry only leaves space for the state (FPCCR.LSPEN).
    pub fn is_lazy(&self) -> bool {
        self.fpccr & LSPEN != 0
    }

    /// UpdateFPCCR(): entry left space at `frame`; `origin` is which handlers may be used for a fault in preserving it.
    pub fn leave_space(&mut self, frame: u32, origin: u32) {
        self.fpcar = frame & !7;
        self.fpccr = self.fpccr & !ORIGIN | origin & ORIGIN | LSPACT;
    }

    /// Return finds the state still in the registers: nothing was preserved, nothing needs to come back.
    pub fn forget_preservation(&mut self) {
        self.fpccr &= !LSPACT;
    }
}
