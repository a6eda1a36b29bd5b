//! VexRiscv's pipeline: in which cycle each instruction leaves the decode stage, is executed and retires.
//!
//! Bodies say what instructions do; this says when. It has the stages' occupants, the tags of the caches and the states of the units
//! that halt a stage, and no values: the program's path is known when an instruction leaves the decode stage, and what the core fetches
//! beside that path is decoded for its hazards and its cache lines alone. An instruction of the program begins in the cycle in which it
//! leaves the decode stage, since an interrupt cancels what has not; a load that will be fetched again, when it leaves for good.
//!
//! Names are those of the Verilog: a stage is *stuck* if it keeps its occupant, *removed* if the occupant goes nowhere.

mod bus;
mod data;
mod fetch;
mod memory;
mod phase;
mod sdram;
mod slot;
mod step;
mod variant;

pub use bus::{Region, Request, SharedBus, Slave, Wishbone};
use data::Data;
use data::Way;
use fetch::Fetch;
use memory::Memory;
pub(crate) use phase::{INPUTS, STORES, phase};
pub use sdram::{Part as SdramPart, Sdram};
pub(crate) use slot::{Kind, Slot, Values, slot};
pub use variant::{FetchStages, Variant};

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
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
    /// Tells whether the instruction at `pc` must not be executed; `returns` says if an MRET has not changed the mode yet.
    fn denies(&self, pc: u32, returns: bool) -> bool;
    /// Tells whether the halfword at `pc` begins an instruction of four bytes.
    fn is_wide(&self, pc: u32) -> bool;
    /// The address of the trap handler.
    fn vector(&self) -> u32;
}

/// The number of retirements that are remembered.
const REMEMBERED: usize = 16;

/// The state of the pipeline.
#[derive(Clone, Debug)]
pub struct Pipeline {
    variant: &'static Variant,
    /// The cycle that comes next.
    pub(crate) cycle: u64,
    fetch: Fetch,
    execute: Option<Slot>,
    memory: Option<Slot>,
    write_back: Option<Slot>,
    /// The register that the last stage wrote in the cycle before, 0 for none.
    written: u8,
    data: Data,
    bus: Memory,
    /// The program's next instruction.
    awaited: u32,
    /// The core fetches beside the program's path: a jump is under way.
    astray: bool,
    /// The latest instruction of the program has not learned yet what comes behind it.
    open: bool,
    /// The address of the instruction behind a load that will be fetched again: if that goes past it, the memory stage jumps.
    shadow: Option<u32>,
    /// The masks as the program has set them, and as the hardware has them now.
    ordered: Masks,
    masks: Masks,
    /// The bits that the shift in the execute stage has left.
    shift: Option<u8>,
    /// Cycles that the iterative unit has worked for the occupant of the memory stage, and the PMP for that of the execute stage.
    worked: u32,
    protected: u8,
    /// exceptionValidsRegs, from the decode stage on.
    exceptions: [bool; 4],
    had_exception: bool,
    array_input: u32,
    pending: u32,
    /// An interrupt that is let through was pending: WFI ends.
    wakes: bool,
    interrupt: Option<u8>,
    liberated: [bool; 3],
    /// Stores to registers that have been carried out already, though the bus has not come to them here.
    ahead: u32,
    /// Retirements so far, and the cycles of the latest.
    retired: u64,
    retired_at: [u64; REMEMBERED],
}

impl Pipeline {
    /// The pipeline at the end of a reset, in the cycle `cycle`, which will fetch from `pc`; `bus` is that to its memory, without one
    /// instructions and data have a port each.
    pub(crate) fn new(variant: &'static Variant, bus: Option<&'static Wishbone>, pc: u32, cycle: u64) -> Self {
        Self {
            variant,
            cycle,
            fetch: Fetch::new(variant.fetch, pc),
            execute: None,
            memory: None,
            write_back: None,
            written: 0,
            data: Data::new(variant.data_lines),
            bus: bus.map_or(Memory::Ports([false; 2]), |bus| Memory::Shared(SharedBus::new(bus))),
            awaited: pc,
            astray: false,
            open: false,
            shadow: None,
            ordered: Masks::default(),
            masks: Masks::default(),
            shift: None,
            worked: 0,
            protected: 0,
            exceptions: [false; 4],
            had_exception: false,
            array_input: 0,
            pending: 0,
            wakes: false,
            interrupt: None,
            liberated: [false; 3],
            ahead: 0,
            retired: 0,
            retired_at: [0; REMEMBERED],
        }
    }

    pub(crate) fn variant(&self) -> &'static Variant {
        self.variant
    }

    /// The number of instructions that have retired, without those of loops that the run loop has skipped and of compiled code.
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
        let raises = self.execute.is_some_and(|slot| slot.kind.raises());
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
            } else if latest.corrects.is_some() || latest.predicted != pc {
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
    pub(crate) fn raise(&mut self, kind: Kind) {
        // One of the decode stage has not left it.
        if let Some(latest) = &mut self.execute
            && self.open
        {
            latest.kind = if latest.is_csr() { Kind::TrapCsr } else { kind };
        }
        self.open = false;
        self.astray = true;
    }

    /// The core has entered the handler at `pc`: `masks` are those in force there.
    pub(crate) fn entered(&mut self, pc: u32, masks: Masks) {
        if !self.fetch.begins_at(pc) {
            return self.restart(pc, masks);
        }
        (self.ordered, self.masks) = (masks, masks);
        (self.open, self.astray, self.awaited) = (false, false, pc);
    }

    /// Empties the stages, whatever is in them, and goes on at `pc` with `masks`.
    #[cold]
    fn restart(&mut self, pc: u32, masks: Masks) {
        let Self { variant, cycle, mut fetch, data, bus, array_input, pending, wakes, retired, retired_at, .. } =
            self.clone();
        fetch.restart(pc);
        let fresh = Self::new(variant, None, pc, cycle);
        // Stores on the bus are carried out all the same.
        let ahead = self.ahead.min(data.deferred());
        *self = Self { fetch, data, bus, array_input, pending, wakes, retired, retired_at, ahead, ..fresh };
        (self.ordered, self.masks) = (masks, masks);
    }

    /// The latest instruction, a store, is one to a register: it happens when the bus carries it out, which [`Pipeline::carries_out`]
    /// tells. Returns whether that is so; otherwise it happens at a time that [`Pipeline::seeker`] finds.
    pub(crate) fn defer(&mut self, address: u32) -> bool {
        let defers = self.open && self.bus.defers(address);
        if let Some(latest) = self.execute.as_mut().filter(|_| defers) {
            latest.deferred = true;
        }
        defers && self.execute.is_some()
    }

    /// Tells whether a store to a register that has not happened yet is carried out in the cycle that comes next.
    pub(crate) fn carries_out(&self) -> bool {
        let carries = |command: data::Command| command.deferred && self.bus.carries_out(command);
        self.ahead == 0 && self.data.command().is_some_and(carries)
    }

    /// A store to a register has happened before the pipeline comes to it.
    pub(crate) fn has_carried_out(&mut self) {
        self.ahead += 1;
    }

    /// Tells whether no store to a register is on its way.
    pub(crate) fn has_no_stores(&self) -> bool {
        let stages = [&self.execute, &self.memory, &self.write_back];
        !stages.into_iter().flatten().any(|slot| slot.deferred) && self.data.deferred() == 0
    }

    /// Returns a copy that [`Pipeline::pass`] takes ahead to a cycle of the latest instruction.
    pub(crate) fn seeker(&self) -> Self {
        let mut ahead = self.clone();
        if let Some(latest) = &mut ahead.execute {
            latest.sought = true;
        }
        ahead.follow();
        ahead
    }

    /// Passes a cycle of a [`Pipeline::seeker`]. The program is taken to go on behind the latest instruction as branches go with the
    /// registers' present values.
    pub(crate) fn pass(&mut self, surroundings: &impl Surroundings) {
        if self.step(surroundings) == Event::Decoded {
            self.follow();
        }
    }

    /// Tells whether what the seeker looks for has moved on from the execute stage in the cycle before.
    pub(crate) fn has_executed(&self) -> bool {
        self.memory.is_some_and(|slot| slot.sought && slot.fresh)
    }

    /// Tells whether the load or store that the seeker looks for is carried out in the cycle that comes next.
    pub(crate) fn is_carried_out(&self) -> bool {
        self.data.command().is_some_and(|command| command.sought && self.bus.carries_out(command))
    }

    /// Tells whether what the seeker looks for is in no stage any more, nor on its way to the bus.
    pub(crate) fn has_passed(&self) -> bool {
        let stages = [&self.execute, &self.memory, &self.write_back];
        let is_on_its_way = self.data.command().is_some_and(|command| command.sought);
        !is_on_its_way && !stages.into_iter().flatten().any(|slot| slot.sought)
    }

    /// Tells whether the latest instruction, a WFI, waits in the execute stage for an interrupt that has not come.
    pub(crate) fn waits(&self, surroundings: &impl Surroundings) -> bool {
        if !self.variant.waits {
            return false;
        }
        let mut ahead = self.seeker();
        for _ in 0..400 {
            if ahead.has_executed() {
                return false;
            }
            ahead.pass(surroundings);
        }
        true
    }

    /// The program goes on behind the latest instruction, if there is one in the execute stage, as its slot says.
    fn follow(&mut self) {
        let latest = self.execute.filter(|latest| self.open && !latest.kind.raises());
        match latest {
            Some(latest) => self.await_instruction(latest.corrects.unwrap_or(latest.predicted), self.ordered),
            None => self.awaited = u32::MAX,
        }
    }

    /// Tells whether it is, apart from when, in the state of `earlier`.
    pub(crate) fn repeats(&self, earlier: &Self) -> bool {
        let of = |pipeline: &Self| {
            let stages = (pipeline.execute, pipeline.memory, pipeline.write_back, pipeline.written);
            let path = (pipeline.awaited, pipeline.astray, pipeline.open, pipeline.shadow);
            let units = (pipeline.shift, pipeline.worked, pipeline.protected, pipeline.ahead);
            let traps = (pipeline.exceptions, pipeline.had_exception, pipeline.interrupt, pipeline.liberated);
            let inputs = (pipeline.array_input, pipeline.pending, pipeline.wakes, pipeline.ordered, pipeline.masks);
            (stages, path, units, traps, inputs)
        };
        of(self) == of(earlier) && (&self.fetch, &self.data, &self.bus) == (&earlier.fetch, &earlier.data, &earlier.bus)
    }

    /// Moves it on to `cycle`: over loops that change nothing, which the run loop has skipped, or, if WFI is in the execute stage, over
    /// cycles without an interrupt. Tells whether the awaited instruction has left the decode stage meanwhile, as it does if it only
    /// raises an exception there.
    pub(crate) fn move_to(&mut self, cycle: u64, surroundings: &impl Surroundings) -> bool {
        if !self.execute.is_some_and(|slot| slot.kind == Kind::Wait) {
            self.skip_to(cycle);
        }
        let mut decoded = false;
        while self.cycle < cycle {
            let before = self.clone();
            decoded |= self.step(surroundings) == Event::Decoded;
            if self.repeats(&before) {
                self.skip_to(cycle);
            }
        }
        decoded
    }

    /// Goes on in `cycle`: what there was until then repeats itself.
    fn skip_to(&mut self, cycle: u64) {
        self.bus.pass(cycle.saturating_sub(self.cycle));
        self.cycle = cycle;
    }
}
