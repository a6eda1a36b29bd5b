//! Execution that a sink is told of.

use cyclescope_machine::{Bus, Peripherals, Registers, Retire, Run, Sink, State};
use cyclescope_units::{Address, Cycles};

use super::Exit;
use crate::code::Block;
use crate::cpu::{Cpu, Entry};
use crate::decode::Reg;

impl Cpu {
    /// Runs a block of one instruction and tells `sink` of it; of the state after it where nothing is left to be done.
    /// Whether it retired: one that waits for floating-point state to be preserved is tried again.
    #[inline(always)]
    pub(crate) fn execute_single<P: Peripherals, S: Sink>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        sink: &mut S,
    ) -> (Exit, bool) {
        let (pc, began, retired) = (self.pc(), self.now, self.instructions);
        let exit = self.execute(bus, block);
        let retired = self.instructions != retired;
        if S::OBSERVES && retired {
            if exit != Exit::Fault {
                sink.retire(Retire { pc, at: Cycles::new(began), cycles: Cycles::new(self.now - began) });
            }
            if exit == Exit::Next {
                sink.state(self.state());
            }
        }
        (exit, retired)
    }

    /// Runs a marked block and tells `sink` what retired; of the state after it where nothing is left to be done that
    /// belongs to the last instruction.
    #[inline(always)]
    pub(crate) fn execute_marked<P: Peripherals, S: Sink>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        sink: &mut S,
    ) -> Exit {
        let (began, retired) = (self.now, self.instructions);
        self.marks.begin(began);
        let exit = self.execute(bus, block);
        let instructions = (self.instructions - retired) as u32;
        if instructions > 0 {
            let ended = self.marks.ended();
            sink.ran(Run {
                block: block.number,
                instructions,
                began: Cycles::new(began),
                marked: Cycles::new(self.marks.at()),
                end: Cycles::new(ended.unwrap_or(self.now)),
                // Calls do not move it.
                stack_pointer: Address::new(self.get(Reg::Sp)),
            });
            if exit == Exit::Next || ended.is_some() {
                sink.state(self.state());
            }
        }
        exit
    }

    /// What a sink is shown of it.
    #[inline(always)]
    pub(crate) fn state(&self) -> State<'_> {
        State {
            next: self.pc(),
            stack_pointer: Address::new(self.get(Reg::Sp)),
            registers: Registers::CortexM(&self.r, &self.fp.singles),
        }
    }

    /// Whether nothing that is kept by address alone may run: the next instruction begins in the middle of something, or
    /// is to be counted.
    #[inline(always)]
    pub(crate) fn is_careful(&self) -> bool {
        self.entry != Entry::PLAIN || self.dwt.counts_instructions()
    }
}
