//! The owner of all blocks of a core: built where they are missing, forgotten where they are stale.
//!
//! A block begins wherever control arrives. Its instruction set says how far it goes; it ends before a watched address and at
//! [`LONGEST`] instructions at the latest. Near an event blocks of a single instruction run, which are kept in a table of their
//! own; those that inherit something from the instruction before them are kept by address and entry.

use std::collections::HashMap;

use cyclescope_machine::units::Address;
use cyclescope_machine::{BlockCatalog, BlockInstruction, Memory, RowSet};

use crate::block::{Block, Place, Step, WATCHED};
use crate::blocks::{Blocks, Stride, Successors};
use crate::instruction_set::{Hooks, InstructionSet};

/// The most instructions a block holds, so that no block outruns the next event by much.
pub const LONGEST: usize = 64;

/// A block that is to be built.
pub struct Request<'a> {
    /// The address at which it begins.
    pub pc: u32,
    /// The most instructions it may hold.
    pub limit: usize,
    /// The memory that holds the code; stores to what is built from RAM are to be noticed ([`Memory::mark_code`]).
    pub memory: &'a mut Memory,
    /// The addresses before which it must end.
    pub watched: &'a [u32],
    /// The rows of the timing table that blocks use.
    pub rows: &'a mut RowSet,
    /// The catalog of the observer that it is built for with marks, if it is.
    pub catalog: Option<&'a mut dyn BlockCatalog>,
}

impl Request<'_> {
    /// Says whether the block must end before the instruction at `pc`, because of who watches.
    pub fn ends_before(&mut self, pc: u32) -> bool {
        let first = Address::new(self.pc);
        self.watched.contains(&pc)
            || self.catalog.as_mut().is_some_and(|catalog| catalog.splits(first, Address::new(pc)))
    }

    /// The block of `steps` at `places`, which are the instructions `code`; at least one. It goes straight on at `next_pc`, has
    /// `cycles` static cycles and takes `extra` more at most.
    pub fn finish<I: InstructionSet, P>(
        self,
        steps: Box<[Step<I, P>]>,
        places: Vec<Place<I::PlaceDetail>>,
        code: &[BlockInstruction],
        next_pc: u32,
        (cycles, extra): (u32, u32),
        detail: I::BlockDetail,
    ) -> Block<I, P> {
        Block {
            steps,
            places: places.into(),
            pc: self.pc,
            next_pc,
            cycles,
            worst_cycles: cycles + extra,
            count: code.len() as u32,
            key: if self.watched.contains(&self.pc) { WATCHED } else { 0 },
            successors: Successors::default(),
            number: self.catalog.map_or(0, |catalog| catalog.add(code)),
            detail,
        }
    }
}

/// All predecoded code of a core.
#[derive(Clone, Debug)]
pub(crate) struct Code<I: InstructionSet, P> {
    pub(crate) blocks: Blocks<I, P>,
    /// Single instructions that inherit something.
    entered: HashMap<(u32, I::Entry), usize>,
    rows: RowSet,
    /// Blocks are built with each data access checked.
    guarded: bool,
    /// Blocks call the bodies of their steps one by one.
    unchained: bool,
}

impl<I: Hooks<P>, P> Code<I, P> {
    pub(crate) fn new(memory: &Memory) -> Self {
        let (blocks, entered, rows) = (Blocks::new(memory), HashMap::new(), RowSet::default());
        Self { blocks, entered, rows, guarded: false, unchained: false }
    }

    /// The rows of the timing table that blocks use.
    pub(crate) fn rows(&self) -> RowSet {
        self.rows
    }

    /// Counts the rows of `from` as used too; blocks stay.
    pub(crate) fn restore(&mut self, from: &Self) {
        self.rows.union(from.rows);
    }

    /// Forgets all blocks.
    pub(crate) fn flush(&mut self) {
        self.blocks.flush();
        self.entered.clear();
    }

    /// Has blocks call the bodies of their steps one by one.
    #[cfg(feature = "laws")]
    pub(crate) fn unchain(&mut self) {
        self.unchained = true;
        self.flush();
    }

    /// Ends blocks before `address` as well.
    pub(crate) fn watch(&mut self, address: Address) {
        self.blocks.watch(address);
        self.entered.clear();
    }

    /// Ends blocks before `addresses` and nowhere else.
    pub(crate) fn watch_only(&mut self, addresses: &[u32]) {
        self.blocks.watch_only(addresses);
        self.entered.clear();
    }

    /// Forgets blocks that memory says are stale, or that do not check data accesses as they should.
    pub(crate) fn refresh(&mut self, memory: &mut Memory, guarded: bool) {
        if self.blocks.take_stale(memory) | (guarded != self.guarded) {
            self.guarded = guarded;
            self.flush();
        }
    }

    /// Has marked blocks be listed in `catalog`; those that are listed elsewhere are forgotten.
    #[inline(always)]
    pub(crate) fn agree(&mut self, catalog: Option<&mut dyn BlockCatalog>) {
        if let Some(catalog) = catalog.filter(|catalog| catalog.edition() != self.blocks.edition()) {
            self.entered.clear();
            self.blocks.begin_edition(catalog.renew());
        }
    }

    /// The block that begins at `pc`, built if need be; `None` where no memory holds code.
    pub(crate) fn find_or_build(
        &mut self,
        cpu: &I,
        pc: u32,
        stride: Stride,
        memory: &mut Memory,
        catalog: Option<&mut dyn BlockCatalog>,
    ) -> Option<usize> {
        match self.blocks.find(pc, stride) {
            Some(id) => Some(id),
            None => self.build(cpu, pc, stride, memory, catalog),
        }
    }

    #[cold]
    fn build(
        &mut self,
        cpu: &I,
        pc: u32,
        stride: Stride,
        memory: &mut Memory,
        catalog: Option<&mut dyn BlockCatalog>,
    ) -> Option<usize> {
        let limit = if stride == Stride::Single { 1 } else { LONGEST };
        let catalog = catalog.filter(|_| stride == Stride::Marked);
        let id = self.add(cpu, pc, limit, I::Entry::default(), memory, catalog)?;
        self.blocks.enter(id, pc, stride);
        Some(id)
    }

    /// The single instruction at `pc` that inherits `entry`, built if need be; `None` where no memory holds code.
    pub(crate) fn single(&mut self, cpu: &I, pc: u32, entry: I::Entry, memory: &mut Memory) -> Option<usize> {
        if entry == I::Entry::default() {
            return self.find_or_build(cpu, pc, Stride::Single, memory, None);
        }
        if let Some(id) = self.entered.get(&(pc, entry)) {
            return Some(*id);
        }
        let id = self.add(cpu, pc, 1, entry, memory, None)?;
        self.entered.insert((pc, entry), id);
        Some(id)
    }

    fn add(
        &mut self,
        cpu: &I,
        pc: u32,
        limit: usize,
        entry: I::Entry,
        memory: &mut Memory,
        catalog: Option<&mut dyn BlockCatalog>,
    ) -> Option<usize> {
        let rows = self.rows;
        let catalog = catalog.map(|catalog| catalog as &mut dyn BlockCatalog);
        let request = Request { pc, limit, memory, watched: self.blocks.watched(), rows: &mut self.rows, catalog };
        let mut block: Block<I, P> = cpu.build(request, entry)?;
        if self.unchained {
            block.unchain();
        }
        // With rows new to the run, blocks that ended for want of them may go further: a table has few.
        if self.rows != rows || self.blocks.is_full_for(&block) {
            self.flush();
        }
        Some(self.blocks.add(block))
    }
}
