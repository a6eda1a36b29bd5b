//! A block while it is being built: its instructions, their places and their cycles.

use cyclescope_machine::units::Address;
use cyclescope_machine::{BlockCatalog, BlockInstruction, Memory, RowSet};

/// The most instructions a block holds, so that no block outruns the next event by much.
pub const LONGEST: u32 = 64;

/// The most that blocks of one kind hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Most {
    /// Instructions.
    pub(crate) count: u32,
    /// A block in which stalls may add so many cycles ends, so that it fits before the next event more often. Those of its last
    /// instruction may come beyond them.
    pub(crate) extra: u32,
}

impl Most {
    /// A block.
    pub(crate) const WHOLE: Self = Self { count: LONGEST, extra: 1_000 };
    /// A short one, for the last cycles before an event.
    pub(crate) const SHORT: Self = Self { count: 8, extra: 40 };
    /// One instruction.
    pub(crate) const SINGLE: Self = Self { count: 1, extra: 0 };
}

/// The data of an instruction that the engine needs only when the block is left there.
#[derive(Clone, Copy, Debug)]
pub struct Place<D> {
    /// The address of the instruction.
    pub pc: u32,
    /// The address of the next one.
    pub next_pc: u32,
    /// Static cycles of the block before it.
    pub before: u32,
    /// Its own static cycles.
    pub cycles: u32,
    /// Instructions of the block before it.
    pub index: u32,
    /// The data that the instruction set adds.
    pub detail: D,
}

/// A block of instructions `I` that is being built, whose places carry `D`.
pub struct Draft<'a, I, D> {
    /// The address at which it begins.
    pub pc: u32,
    /// The most that it may hold.
    pub(crate) most: Most,
    /// The memory that holds the code; stores to what is built from RAM are to be noticed ([`Memory::mark_code`]).
    pub memory: &'a mut Memory,
    /// Its fetches are made apart: it has no steps for them.
    pub beside: bool,
    /// The rows of the timing table that blocks use.
    pub rows: &'a mut RowSet,
    /// The catalog of the observer that it is built for with marks, if it is.
    pub catalog: Option<&'a mut dyn BlockCatalog>,
    /// Static cycles of its instructions so far.
    pub cycles: u32,
    /// The most cycles that stalls, operands and a branch taken add to them.
    pub extra: u32,
    pub(crate) watched: &'a [u32],
    pub(crate) steps: Vec<I>,
    pub(crate) places: Vec<Place<D>>,
    pub(crate) code: Vec<BlockInstruction>,
}

impl<I: Copy, D: Copy> Draft<'_, I, D> {
    /// The number of its instructions so far.
    pub fn count(&self) -> u32 {
        self.code.len() as u32
    }

    /// The most instructions it may hold.
    pub fn limit(&self) -> u32 {
        self.most.count
    }

    /// Says whether the block must end before the instruction at `pc`: it is full, it may stall for long, or somebody watches.
    pub fn ends_before(&mut self, pc: u32) -> bool {
        let first = Address::new(self.pc);
        self.count() >= self.most.count
            || self.extra >= self.most.extra
            || self.watched.contains(&pc)
            || self.catalog.as_mut().is_some_and(|catalog| catalog.splits(first, Address::new(pc)))
    }

    /// The place of the next instruction, at `pc`, which takes `cycles`.
    pub fn place(&self, pc: u32, next_pc: u32, cycles: u32, detail: D) -> Place<D> {
        Place { pc, next_pc, before: self.cycles, cycles, index: self.count(), detail }
    }

    /// Adds a step.
    pub fn step(&mut self, i: I, place: Place<D>) {
        self.steps.push(i);
        self.places.push(place);
    }

    /// The instruction at `place`, whose steps have been added, is done.
    pub fn retire(&mut self, place: &Place<D>) {
        self.code.push(BlockInstruction { pc: Address::new(place.pc), cycles: place.cycles });
        self.cycles += place.cycles;
    }

    /// Adds `mark` with a counter of the latest instruction, which may have no step of its own, if the block has marks. It stands at the
    /// place of the latest step.
    pub fn mark(&mut self, mark: impl FnOnce(u32) -> I) {
        let latest = self.code.last().zip(self.places.last());
        if let (Some(catalog), Some((instruction, &place))) = (&mut self.catalog, latest) {
            let counter = catalog.counter(instruction.pc);
            self.step(mark(counter), place);
        }
    }

    /// The steps so far.
    pub fn steps(&self) -> &[I] {
        &self.steps
    }

    /// Their places.
    pub fn places(&mut self) -> &mut [Place<D>] {
        &mut self.places
    }
}
