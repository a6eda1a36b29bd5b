//! Instructions of a core whose time its pipeline decides.

use cyclescope_engine::{Execute as _, Flow};
use cyclescope_machine::{AccessKind, Bus, Memory, Peripherals, Width};

use super::{Exit, Here};
use crate::cpu::Cpu;
use crate::decode::{self, Instruction, is_wide};
use crate::pipeline::{Event, Kind, Masks, Slot, Surroundings, Values, slot};
use crate::trap::{Privilege, Trap};

/// The core around its pipeline.
pub(super) struct Core<'a> {
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
        let Some(variant) = self.cpu.config.timing.pipeline else { return Slot::denied(pc) };
        let (low, high) = (self.half(pc), self.half(pc.wrapping_add(2)));
        let i = decode::decode(high << 16 | low, self.cpu.config.extensions);
        slot(variant, &i, pc, if is_wide(low as u16) { 4 } else { 2 }, self)
    }

    fn denies(&self, pc: u32, returns: bool) -> bool {
        let privilege = if returns { Privilege::Machine } else { self.cpu.privilege };
        self.cpu.protection_key() != 0 && !self.cpu.pmp.look(pc, AccessKind::Fetch, privilege).0
    }

    fn is_wide(&self, pc: u32) -> bool {
        is_wide(self.half(pc) as u16)
    }

    fn vector(&self) -> u32 {
        self.vector
    }
}

impl Core<'_> {
    /// The instruction at `pc`.
    pub(super) fn instruction<P>(cpu: &Cpu, bus: &Bus<P>, pc: u32) -> Instruction {
        let core = cpu.around(bus);
        let (low, high) = (core.half(pc), core.half(pc.wrapping_add(2)));
        decode::decode(high << 16 | low, cpu.config.extensions)
    }

    fn half(&self, at: u32) -> u32 {
        self.memory.read(at, Width::Half).unwrap_or(0)
    }
}

impl Values for Core<'_> {
    fn register(&self, number: u8) -> u32 {
        self.cpu.get(number)
    }

    fn refuses(&self, i: &Instruction) -> bool {
        self.cpu.refuses(i)
    }

    fn reserves(&self, address: u32) -> bool {
        self.cpu.reserves(address)
    }

    fn allows(&self, address: u32, store: bool) -> bool {
        let kind = if store { AccessKind::Write } else { AccessKind::Read };
        !self.cpu.guarded || self.cpu.pmp.look(address, kind, self.cpu.data_privilege()).0
    }
}

impl Cpu {
    pub(super) fn around<'a, P>(&'a self, bus: &'a Bus<P>) -> Core<'a> {
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
        if self.recalls(bus, here, start) {
            return Flow::Next;
        }
        let pc = here.place().pc;
        let phase = self.recall.phase;
        self.settle_pipeline_at(pc);
        let Some(mut pipeline) = self.pipeline.take() else { return Flow::Next };
        let mut lesson = self.begin_lesson(bus, phase, pc, start, &pipeline);
        pipeline.await_instruction(here.place().pc, self.masks());
        self.recover_stores(bus, &pipeline);
        if pipeline.cycle < start && pipeline.move_to(start, &self.around(bus)) {
            self.pipeline = Some(pipeline);
            return Flow::Next;
        }
        // It comes: whatever could keep it away restarts the pipeline.
        let interrupt = loop {
            if pipeline.cycle >= self.horizon {
                lesson = None;
            }
            self.before_cycle(bus, &pipeline);
            let event = pipeline.step(&self.around(bus));
            lesson = lesson.and_then(|lesson| lesson.pass(&pipeline));
            match event {
                Event::Decoded => break None,
                Event::Interrupt(number) => break Some(number),
                Event::None | Event::Exception => lesson = lesson.filter(|_| event == Event::None),
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
        self.end_lesson(bus, lesson);
        Flow::Next
    }

    /// Tells whether WFI waits: always, but where a pipeline has seen an interrupt.
    pub(super) fn waits<P>(&mut self, bus: &Bus<P>) -> bool {
        self.settle_pipeline();
        self.pipeline.as_ref().is_none_or(|pipeline| pipeline.waits(&self.around(bus)))
    }

    /// Passes the cycles until a pipeline goes to the trap vector for `trap`, which the latest instruction has raised.
    pub(crate) fn await_exception<P: Peripherals>(&mut self, bus: &mut Bus<P>, trap: Trap) {
        self.settle_pipeline();
        let Some(mut pipeline) = self.pipeline.take() else { return };
        if trap.cause == Trap::INSTRUCTION_ACCESS {
            // It is none of the instruction before.
            pipeline.await_instruction(self.pc, self.masks());
        }
        let accesses = [Trap::LOAD_MISALIGNED, Trap::STORE_MISALIGNED, Trap::LOAD_ACCESS, Trap::STORE_ACCESS]
            .contains(&trap.cause);
        pipeline.raise(match trap.cause {
            _ if accesses && pipeline.variant().data_lines > 0 => Kind::TrapLast,
            Trap::LOAD_MISALIGNED | Trap::STORE_MISALIGNED | Trap::INSTRUCTION_MISALIGNED => Kind::TrapMemory,
            _ => Kind::TrapExecute,
        });
        // More than any exception takes.
        for _ in 0..10_000 {
            self.run_events(bus, pipeline.cycle);
            self.before_cycle(bus, &pipeline);
            if pipeline.step(&self.around(bus)) == Event::Exception {
                break;
            }
        }
        self.now = pipeline.cycle;
        self.pipeline = Some(pipeline);
    }

    /// The core has gone to a trap vector.
    pub(crate) fn enter_pipeline(&mut self) {
        self.settle_pipeline();
        let (pc, masks) = (self.pc, self.masks());
        if let Some(pipeline) = &mut self.pipeline {
            pipeline.entered(pc, masks);
        }
    }
}
