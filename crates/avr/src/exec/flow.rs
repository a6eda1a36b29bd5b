//! Calls, returns, skips and what else moves control: DS40002198B chapter 6.

use cyclescope_engine::Flow;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Bus, FaultReport, Signal};

use super::{Exit, Here};
use crate::cpu::Cpu;
use crate::decode::Z;
use crate::hooks::AvrPeripherals;

impl Cpu {
    /// The branch or skip that ends the block is made, to `target`.
    #[inline(always)]
    pub(super) fn take<P>(&mut self, here: Here<'_, P>, target: u32) {
        self.pc = target;
        // Only the last instruction of a block has cycles that depend on data.
        self.now += u64::from(here.block.worst_cycles - here.block.cycles);
    }

    /// The skip that ends the block is made, over `words`.
    #[inline(always)]
    pub(super) fn skip<P>(&mut self, here: Here<'_, P>, words: u8) {
        self.take(here, here.block.next_pc + 2 * u32::from(words));
    }

    /// Returns the target of IJMP and ICALL (`extended`: EIJMP and EICALL), in bytes.
    #[inline(always)]
    pub(super) fn indirect(&self, extended: bool) -> u32 {
        let high = if extended { u32::from(self.eind) << 16 } else { 0 };
        (high | u32::from(self.pair(Z))) << 1
    }

    /// Goes to a target that only now is known; outside flash that is a fault of the instruction at `here`.
    #[inline(always)]
    pub(super) fn jump<P>(&mut self, here: Here<'_, P>, target: u32) -> Flow<Exit> {
        if target >= self.flash_bytes {
            return self.jump_outside(here, target);
        }
        self.pc = target;
        Flow::Ends(Exit::Next)
    }

    #[cold]
    fn jump_outside<P>(&mut self, here: Here<'_, P>, target: u32) -> Flow<Exit> {
        let pc = Address::new(here.place().pc);
        self.fault = FaultReport { pc, cause: "jump outside flash", address: Some(Address::new(target)) };
        self.leave_before(here, Exit::Fault)
    }

    /// Pushes the address of the next instruction, `pc`, and goes to `target`.
    #[inline(always)]
    pub(super) fn call<P: AvrPeripherals>(&mut self, bus: &mut Bus<P>, here: Here<'_, P>, target: u32) -> Flow<Exit> {
        if target >= self.flash_bytes {
            return self.jump_outside(here, target);
        }
        let at = self.phase(here, self.config.timing.data_phase);
        self.push_pc(bus, here.place().pc, at, here.block.next_pc);
        self.pc = target;
        Flow::Ends(Exit::Next)
    }

    /// Pushes the byte address `return_to` as words, its low byte first.
    #[inline(always)]
    pub(crate) fn push_pc<P: AvrPeripherals>(&mut self, bus: &mut Bus<P>, pc: u32, at: u64, return_to: u32) {
        let word = return_to >> 1;
        self.push(bus, pc, at, word as u8);
        self.push(bus, pc, at, (word >> 8) as u8);
        if self.config.pc_bytes > 2 {
            self.push(bus, pc, at, (word >> 16) as u8);
        }
    }

    /// RET, and RETI but for I: pops the address to go on at.
    #[inline(always)]
    pub(super) fn ret<P: AvrPeripherals>(&mut self, bus: &mut Bus<P>, here: Here<'_, P>) -> Flow<Exit> {
        let (sp, lowest) = (self.sp, self.lowest_sp);
        let (pc, at) = (here.place().pc, self.phase(here, self.config.timing.data_phase));
        let mut word = 0;
        for _ in 0..self.config.pc_bytes {
            word = word << 8 | u32::from(self.pop(bus, pc, at));
        }
        let flow = self.jump(here, word << 1);
        if flow == Flow::Leaves(Exit::Fault) {
            (self.sp, self.lowest_sp) = (sp, lowest);
        }
        flow
    }

    /// RETI's part beside the return: I is set, and the handler is over.
    pub(super) fn leave_handler<P>(&mut self, bus: &mut Bus<P>) {
        self.i = true;
        if let Some(vector) = self.active.pop() {
            let signal = Signal::ExceptionReturned { number: u16::from(vector) };
            bus.shared.signals.record(Cycles::new(self.now), signal);
        }
        self.allow_interrupts(bus);
    }

    /// SEI, RETI or a write to SREG is done: one more instruction executes before an interrupt is served.
    #[inline(always)]
    pub(super) fn allow_interrupts<P>(&mut self, bus: &Bus<P>) {
        // What comes later than now finds that instruction begun.
        if self.now >= self.horizon || bus.shared.interrupts.levels(0) != 0 || !bus.shared.is_quiet() {
            self.delayed = true;
            self.horizon = 0;
        }
    }
}
