//! Execution that a sink is told of.

use cyclescope_machine::{Bus, Registers, Retire, Run, Sink, State};
use cyclescope_units::{Address, Cycles};

use super::Exit;
use crate::code::Block;
use crate::cpu::{Cpu, DATA_SPACE};
use crate::hooks::AvrPeripherals;

impl Cpu {
    /// Runs a block of one instruction and tells `sink` of it; of the state after it where nothing is left to be done.
    /// Whether it retired.
    #[inline(always)]
    pub(crate) fn execute_single<P: AvrPeripherals, S: Sink>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        sink: &mut S,
    ) -> (Exit, bool) {
        let (pc, began, retired) = (self.pc(), self.now, self.instructions);
        let exit = self.execute(bus, block);
        let retired = self.instructions != retired;
        if S::OBSERVES && retired {
            sink.retire(Retire { pc, at: Cycles::new(began), cycles: Cycles::new(self.now - began) });
            if exit == Exit::Next {
                sink.state(self.state());
            }
        }
        (exit, retired)
    }

    /// Runs a marked block and tells `sink` what retired; of the state after it where nothing is left to be done that
    /// belongs to the last instruction.
    #[inline(always)]
    pub(crate) fn execute_marked<P: AvrPeripherals, S: Sink>(
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
            let pushed = if instructions == block.count { block.pushes } else { 0 };
            sink.ran(Run {
                block: block.number,
                instructions,
                began: Cycles::new(began),
                marked: Cycles::new(self.marks.at()),
                end: Cycles::new(ended.unwrap_or(self.now)),
                stack_pointer: Address::new(DATA_SPACE | u32::from(self.sp.wrapping_add(pushed.into()))),
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
            stack_pointer: Address::new(DATA_SPACE | u32::from(self.sp)),
            registers: Registers::Avr(&self.r),
        }
    }
}
