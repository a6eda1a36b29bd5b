//! VexRiscv's pipeline: in which cycle each instruction leaves the decode stage, is executed and retires.
//!
//! Bodies say what instructions do; this says when. It has the stages' occupants, the tags of the instruction cache and the states of
//! the units that halt a stage, and no values: the program's path is known when an instruction leaves the decode stage, and what the
//! core fetches beside that path is decoded for its hazards and its cache lines alone. An instruction of the program begins in the
//! cycle in which it leaves the decode stage, since an interrupt cancels what has not.
//!
//! Names are those of the Verilog: a stage is *stuck* if it keeps its occupant, *removed* if the occupant goes nowhere.

mod bus;
mod cache;
mod slot;
mod step;
mod variant;

pub use bus::{Region, SharedBus, Wishbone};
pub(crate) use cache::InstructionCache;
pub(crate) use slot::{Kind, Slot, slot};
pub use variant::Variant;

/// The event that a cycle brought the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// Nothing.
    None,
    /// The awaited instruction has left the decode stage.
    Decoded,
    /// The core went to the trap vector for the interrupt with this number.
    Interrupt(u8),
    /// The core went to the trap vector for the exception that was under way.
    Exception,
}

/// The registers that decide about interrupts: mie, mstatus.MIE, and the external interrupt array's mask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Masks {
    pub mie: u32,
    pub enabled: bool,
    pub array: u32,
}

/// The core and its memory, as far as a cycle needs them.
pub(crate) trait Surroundings {
    /// The interrupt inputs in the cycle `cycle`.
    fn lines(&self, cycle: u64) -> u64;
    /// The instruction at `pc` as the pipeline sees it.
    fn slot(&self, pc: u32) -> Slot;
    /// The address of the trap handler.
    fn vector(&self) -> u32;
}

/// An instruction in a fetch stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fetched {
    pc: u32,
    hit: bool,
    /// Decoded, once it has been looked at.
    slot: Option<Slot>,
}

/// The number of retirements that are remembered.
const REMEMBERED: usize = 16;

/// The state of the pipeline.
#[derive(Clone, Debug)]
pub struct Pipeline {
    variant: &'static Variant,
    /// The cycle that comes next.
    pub(crate) cycle: u64,
    /// The address that the next fetch begins at.
    fetch: u32,
    booted: bool,
    first: Option<Fetched>,
    second: Option<Fetched>,
    execute: Option<Slot>,
    memory: Option<Slot>,
    write_back: Option<Slot>,
    pub(crate) cache: InstructionCache,
    /// The program's next instruction.
    awaited: u32,
    /// The core fetches beside the program's path: a jump is under way.
    astray: bool,
    /// The latest instruction of the program has not learned yet what comes behind it.
    open: bool,
    /// The masks as the program has set them, and as the hardware has them now.
    ordered: Masks,
    masks: Masks,
    /// The first cycle in which the data bus takes a command, and the cycle in which it answers a load.
    bus_free: u64,
    answer: u64,
    /// The bits that the shift in the execute stage has left.
    shift: Option<u8>,
    /// Cycles that the iterative unit has worked for the occupant of the memory stage.
    worked: u32,
    /// exceptionValidsRegs, from the decode stage on.
    exceptions: [bool; 4],
    had_exception: bool,
    array_input: u32,
    pending: u32,
    interrupt: Option<u8>,
    liberated: [bool; 3],
    /// Retirements so far, and the cycles of the latest.
    retired: u64,
    retired_at: [u64; REMEMBERED],
}

impl Pipeline {
    /// The pipeline at the end of a reset, in the cycle `cycle`, which will fetch from `pc`.
    pub(crate) fn new(variant: &'static Variant, pc: u32, cycle: u64) -> Self {
        Self {
            variant,
            cycle,
            fetch: pc,
            booted: false,
            first: None,
            second: None,
            execute: None,
            memory: None,
            write_back: None,
            cache: InstructionCache::new(variant.fetch_lines, variant.fill),
            awaited: pc,
            astray: false,
            open: false,
            ordered: Masks::default(),
            masks: Masks::default(),
            bus_free: 0,
            answer: 0,
            shift: None,
            worked: 0,
            exceptions: [false; 4],
            had_exception: false,
            array_input: 0,
            pending: 0,
            interrupt: None,
            liberated: [false; 3],
            retired: 0,
            retired_at: [0; REMEMBERED],
        }
    }

    pub(crate) fn variant(&self) -> &'static Variant {
        self.variant
    }

    /// The number of instructions that have retired, without those of loops that the run loop has skipped.
    pub fn retired(&self) -> u64 {
        self.retired
    }

    /// Returns the cycle in which the retirement `number`, from 0, was; only for the latest ones.
    pub fn retired_at(&self, number: u64) -> u64 {
        self.retired_at[number as usize % REMEMBERED]
    }

    /// The program goes on at `pc` with `masks`.
    #[inline]
    pub(crate) fn await_instruction(&mut self, pc: u32, masks: Masks) {
        let before = std::mem::replace(&mut self.awaited, pc);
        let raises = self.execute.is_some_and(|slot| matches!(slot.kind, Kind::TrapExecute | Kind::TrapMemory));
        let is_elsewhere = if self.open { raises } else { self.astray || pc != before };
        if is_elsewhere {
            // A debugger has moved it, or an exception was answered by no handler.
            return self.restart(pc, masks);
        }
        if !self.open {
            return;
        }
        self.open = false;
        if let Some(latest) = &mut self.execute {
            if latest.kind == Kind::Return {
                self.astray = true;
            } else if latest.late || latest.predicted != pc {
                latest.redirect = Some(pc);
                self.astray = true;
            }
            if masks != self.ordered {
                latest.masks = Some(masks);
            }
        }
        self.ordered = masks;
    }

    /// The latest instruction raises an exception in the stage of its kind; what is fetched until the core jumps is not the program's.
    pub(crate) fn raise(&mut self, stage: Kind) {
        // One of the decode stage has not left it.
        if let Some(latest) = &mut self.execute
            && self.open
        {
            latest.kind = stage;
        }
        self.open = false;
        self.astray = true;
    }

    /// The core has entered the handler at `pc`: `masks` are those in force there.
    pub(crate) fn entered(&mut self, pc: u32, masks: Masks) {
        if self.fetch != pc || self.first.is_some() || self.second.is_some() {
            return self.restart(pc, masks);
        }
        (self.ordered, self.masks) = (masks, masks);
        (self.open, self.astray, self.awaited) = (false, false, pc);
    }

    /// Empties the stages, whatever is in them, and goes on at `pc` with `masks`.
    #[cold]
    fn restart(&mut self, pc: u32, masks: Masks) {
        let Self { variant, cycle, cache, bus_free, array_input, pending, retired, retired_at, .. } = self.clone();
        *self = Self { cache, bus_free, array_input, pending, retired, retired_at, ..Self::new(variant, pc, cycle) };
        (self.ordered, self.masks) = (masks, masks);
    }

    /// Returns the first cycle in which the latest instruction is in the execute stage and moves on.
    pub(crate) fn executes_at(&self, surroundings: &impl Surroundings) -> u64 {
        let mut ahead = self.clone();
        ahead.awaited = u32::MAX;
        for _ in 0..200 {
            let waits = ahead.execute.is_some_and(|slot| slot.own);
            let at = ahead.cycle;
            ahead.step(surroundings);
            if waits && ahead.memory.is_some_and(|slot| slot.own && slot.fresh) {
                return at;
            }
        }
        self.cycle
    }

    /// Tells whether it is, apart from when, in the state of `earlier`.
    pub(crate) fn repeats(&self, earlier: &Self) -> bool {
        let of = |pipeline: &Self| {
            let after = |cycle: u64| cycle.saturating_sub(pipeline.cycle);
            let fetch = (pipeline.fetch, pipeline.first, pipeline.second, pipeline.astray, pipeline.open);
            let stages = (pipeline.execute, pipeline.memory, pipeline.write_back, pipeline.awaited);
            let units = (after(pipeline.bus_free), after(pipeline.answer), pipeline.shift, pipeline.worked);
            let traps = (pipeline.exceptions, pipeline.had_exception, pipeline.interrupt, pipeline.liberated);
            let inputs = (pipeline.array_input, pipeline.pending, pipeline.ordered, pipeline.masks);
            (fetch, stages, units, traps, inputs)
        };
        of(self) == of(earlier) && self.cache.repeats(self.cycle, &earlier.cache, earlier.cycle)
    }

    /// Moves it `cycles` on, with nothing changed.
    pub(crate) fn postpone(&mut self, cycles: u64) {
        self.cycle += cycles;
        self.bus_free += cycles;
        self.answer += cycles;
        self.cache.postpone(cycles);
    }
}
