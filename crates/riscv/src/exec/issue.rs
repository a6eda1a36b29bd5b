//! Instructions of a core whose time its pipeline decides.

use cyclescope_engine::{Execute as _, Flow};
use cyclescope_machine::{Bus, Memory, Peripherals, Width};

use super::{Exit, Here};
use crate::cpu::Cpu;
use crate::decode::{self, is_wide};
use crate::pipeline::{Event, Kind, Masks, Slot, Surroundings, slot};
use crate::trap::{Privilege, Trap};

/// The core around its pipeline.
struct Core<'a> {
    cpu: &'a Cpu,
    memory: &'a Memory,
    vector: u32,
}

impl Surroundings for Core<'_> {
    #[inline]
    fn lines(&self, cycle: u64) -> u64 {
        self.cpu.lines_in(cycle)
    }

    fn slot(&self, pc: u32) -> Slot {
        let half = |at: u32| self.memory.read(at, Width::Half).unwrap_or(0);
        let (low, high) = (half(pc), half(pc.wrapping_add(2)));
        let i = decode::decode(high << 16 | low, self.cpu.config.extensions);
        let variant = self.cpu.config.timing.pipeline;
        let next = pc.wrapping_add(if is_wide(low as u16) { 4 } else { 2 });
        slot(variant, &i, pc, next, |register| self.cpu.get(register))
    }

    fn vector(&self) -> u32 {
        self.vector
    }
}

impl Cpu {
    fn around<'a, P>(&'a self, bus: &'a Bus<P>) -> Core<'a> {
        Core { cpu: self, memory: &bus.memory, vector: self.csrs.mtvec & !3 }
    }

    fn masks(&self) -> Masks {
        Masks {
            mie: self.csrs.mie,
            enabled: self.csrs.mie_enabled || self.privilege == Privilege::User,
            array: self.csrs.array_mask,
        }
    }

    /// Passes cycles until the instruction behind this step leaves the decode stage, or an interrupt is taken before it. Events that
    /// are due meanwhile happen: what has begun to wait is not begun again.
    pub(super) fn issue<P: Peripherals>(&mut self, bus: &mut Bus<P>, here: Here<'_, P>) -> Flow<Exit> {
        let start = self.starts_at(here);
        // The run loop has looked before the first one of a block.
        if start >= self.horizon && here.index() > 0 {
            return self.leave_before(here, Exit::Next);
        }
        let Some(mut pipeline) = self.pipeline.take() else { return Flow::Next };
        if pipeline.cycle < start {
            pipeline.postpone(start - pipeline.cycle);
        }
        pipeline.await_instruction(here.place().pc, self.masks());
        // It comes: whatever could keep it away restarts the pipeline.
        let interrupt = loop {
            if pipeline.cycle >= self.horizon {
                self.run_events(bus, pipeline.cycle);
            }
            match pipeline.step(&self.around(bus)) {
                Event::Decoded => break None,
                Event::Interrupt(number) => break Some(number),
                Event::None | Event::Exception => {}
            }
        };
        let passed = pipeline.cycle - start;
        self.pipeline = Some(pipeline);
        if let Some(number) = interrupt {
            self.now += passed;
            self.trap = Trap::new(number.into(), 0);
            return self.leave_before(here, Exit::Interrupt);
        }
        self.now += passed - 1;
        Flow::Next
    }

    /// The cycle in which the latest instruction is executed, in a pipeline.
    pub(super) fn executes_at<P>(&self, bus: &Bus<P>) -> Option<u64> {
        self.pipeline.as_ref().map(|pipeline| pipeline.executes_at(&self.around(bus)))
    }

    /// Passes the cycles until a pipeline goes to the trap vector for `trap`, which the latest instruction has raised.
    pub(crate) fn await_exception<P: Peripherals>(&mut self, bus: &mut Bus<P>, trap: Trap) {
        let Some(mut pipeline) = self.pipeline.take() else { return };
        pipeline.raise(match trap.cause {
            Trap::LOAD_MISALIGNED | Trap::STORE_MISALIGNED | Trap::INSTRUCTION_MISALIGNED => Kind::TrapMemory,
            _ => Kind::TrapExecute,
        });
        // More than any exception takes.
        for _ in 0..10_000 {
            self.run_events(bus, pipeline.cycle);
            if pipeline.step(&self.around(bus)) == Event::Exception {
                break;
            }
        }
        self.now = pipeline.cycle;
        self.pipeline = Some(pipeline);
    }

    /// The core has gone to a trap vector.
    pub(crate) fn enter_pipeline(&mut self) {
        let (pc, masks) = (self.pc, self.masks());
        if let Some(pipeline) = &mut self.pipeline {
            pipeline.entered(pc, masks);
        }
    }
}
