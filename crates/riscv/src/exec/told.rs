//! Execution that a sink is told of.

use cyclescope_machine::{Bus, Peripherals, Registers, Retire, Run, Sink, State};
use cyclescope_units::{Address, Cycles};

use super::Exit;
use crate::code::Block;
use crate::cpu::Cpu;

/// How things stood before an instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Before {
    pc: u32,
    now: u64,
    instructions: u64,
}

impl Before {
    /// Whether it has retired.
    pub(crate) fn has_retired(self, cpu: &Cpu) -> bool {
        cpu.instructions != self.instructions
    }

    /// What is told of it.
    pub(crate) fn retire(self, cpu: &Cpu) -> Retire {
        Retire { pc: Address::new(self.pc), at: Cycles::new(self.now), cycles: Cycles::new(cpu.now - self.now) }
    }
}

impl Cpu {
    /// Runs a block of one instruction; tells `sink` of it where nothing is left to be done.
    #[inline(always)]
    pub(crate) fn execute_single<P: Peripherals, S: Sink>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        sink: &mut S,
    ) -> (Exit, Before) {
        let before = Before { pc: self.pc, now: self.now, instructions: self.instructions };
        let exit = self.execute(bus, block);
        if S::OBSERVES && exit == Exit::Next && before.has_retired(self) {
            sink.retire(before.retire(self));
            sink.state(self.state());
        }
        (exit, before)
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
                stack_pointer: Address::new(self.get(2)),
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
        let visible = self.x.first_chunk().expect("the 32 registers that instructions name come first");
        State {
            next: Address::new(self.pc),
            stack_pointer: Address::new(self.get(2)),
            registers: Registers::RiscV(visible),
        }
    }
}
