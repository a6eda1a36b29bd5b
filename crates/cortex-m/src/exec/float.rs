//! The state of the floating-point extension and when an instruction may use it: DDI 0403E §B1.5.7 (lazy preservation).

use cyclescope_engine::Flow;
use cyclescope_machine::{Bus, Peripherals, Width};

use super::memory::access;
use super::{Exit, Here};
use crate::cpu::{Cpu, Fault, FaultKind};

impl Cpu {
    /// A single by its number.
    #[inline(always)]
    pub fn single(&self, number: u32) -> u32 {
        self.fp.singles[(number & 31) as usize]
    }

    /// Writes a single.
    #[inline(always)]
    pub fn set_single(&mut self, number: u32, value: u32) {
        self.fp.singles[(number & 31) as usize] = value;
    }

    /// ExecuteFPCheck() where it takes no time: with nothing to preserve, a new context begins at once and the instruction
    /// goes on. Whether it may.
    #[cold]
    pub(super) fn begin_fp_context(&mut self) -> bool {
        if self.fp.accessible(self.privileged()) && !self.fp.preservation_pending() {
            self.fp.begin_context();
            self.update_fp_ready();
        }
        self.fp.ready
    }

    /// The rest of ExecuteFPCheck(): what an instruction needs before it can use the unit. The instruction at `here` is
    /// tried again once that is done.
    #[cold]
    pub(super) fn make_fp_ready<P: Peripherals>(&mut self, bus: &mut Bus<P>, here: Here<'_, P>) -> Flow<Exit> {
        if !self.fp.accessible(self.privileged()) {
            let cause = "floating-point instruction while the unit is off (CPACR)";
            return self.leave_at(here, Fault { kind: FaultKind::NoCoprocessor, cause, address: None });
        }
        let flow = self.leave_before(here);
        if self.fp.preservation_pending()
            && let Err(fault) = self.preserve(bus)
        {
            self.fault = Fault { cause: "floating-point state could not be preserved", ..fault };
            return Flow::Leaves(Exit::Fault);
        }
        self.fp.begin_context();
        self.update_fp_ready();
        flow
    }

    /// PreserveFPState(): the registers go to the space that exception entry left for them.
    fn preserve<P: Peripherals>(&mut self, bus: &mut Bus<P>) -> Result<(), Fault> {
        let (at, pc) = (self.now, self.pc().get());
        let from = self.fp.fpcar;
        // With the rights of the code whose state it is (FPCCR.USER).
        let words = self.fp.words();
        let first = access(pc, at, from, Width::Word);
        let written = self.with_rights(self.fp.is_of_unprivileged(), |cpu| cpu.write_stacked(bus, first, words));
        written.map_err(Fault::in_lazy_preservation)?;
        self.fp.preserved();
        self.now = at + self.charge(self.config.timing.lazy_preservation);
        Ok(())
    }

    /// Works out whether floating-point instructions run without looking further.
    pub(crate) fn update_fp_ready(&mut self) {
        self.fp.ready =
            self.config.architecture.has_fpu() && self.fp.accessible(self.privileged()) && self.fp.settled();
    }
}
