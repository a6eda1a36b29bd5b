//! The owner of all blocks of a core: built where they are missing, forgotten where they are stale.
//!
//! A block begins wherever control arrives. Its instruction set says how far it goes; it ends before a watched address and at
//! [`LONGEST`](crate::draft::LONGEST) instructions at the latest. Near an event short blocks run, and at last blocks of a single
//! instruction; both are kept in tables of their own. Those that inherit something from the instruction before them are kept by
//! address and entry.

use cyclescope_machine::units::Address;
use cyclescope_machine::{BlockCatalog, Memory, RowSet};
use rustc_hash::FxHashMap;

use crate::block::Block;
use crate::blocks::{Blocks, Stride};
use crate::draft::{Draft, Most};
use crate::instruction_set::{Hooks, InstructionSet};

/// All predecoded code of a core.
#[derive(Clone, Debug)]
pub(crate) struct Code<I: InstructionSet, P> {
    pub(crate) blocks: Blocks<I, P>,
    /// Single instructions that inherit something.
    entered: FxHashMap<(u32, I::Entry), usize>,
    rows: RowSet,
    /// Blocks are built with each data access checked.
    guarded: bool,
    /// Blocks call the bodies of their steps one by one.
    unchained: bool,
}

impl<I: Hooks<P>, P> Code<I, P> {
    pub(crate) fn new(memory: &Memory) -> Self {
        let (blocks, entered, rows) = (Blocks::new(memory), FxHashMap::default(), RowSet::default());
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

    /// Tells whether marked blocks are listed elsewhere than in `catalog`.
    #[inline(always)]
    pub(crate) fn disagrees(&self, catalog: Option<&mut dyn BlockCatalog>) -> bool {
        catalog.is_some_and(|catalog| catalog.edition() != self.blocks.edition())
    }

    /// Has marked blocks be listed in `catalog`; those that are listed elsewhere are forgotten. Where there are none, they are added to
    /// its present edition: two cores may share one.
    pub(crate) fn agree(&mut self, catalog: Option<&mut dyn BlockCatalog>) {
        let Some(catalog) = catalog else { return };
        if self.blocks.edition() == 0 {
            self.blocks.go_on_with(catalog.edition());
        } else {
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
        let catalog = catalog.filter(|_| stride == Stride::Marked);
        let id = self.add(cpu, pc, stride, I::Entry::default(), memory, catalog)?;
        self.blocks.enter(id, pc, stride);
        Some(id)
    }

    /// The instruction beside another core that comes next and inherits nothing, if it was built.
    #[inline]
    pub(crate) fn beside(&self, cpu: &I) -> Option<&Block<I, P>> {
        self.blocks.find(cpu.pc().get(), Stride::Beside).map(|id| self.blocks.get(id))
    }

    /// The instruction at `pc` has been carried out by itself: it may be so beside another core from now on.
    pub(crate) fn build_beside(&mut self, cpu: &I, pc: u32, memory: &mut Memory) {
        if self.blocks.is_stale(memory) || self.blocks.find(pc, Stride::Single).is_none() {
            return;
        }
        // What is new may take the place of all that was there.
        let beside = self.find_or_build(cpu, pc, Stride::Beside, memory, None);
        if let (Some(beside), Some(single)) = (beside, self.blocks.find(pc, Stride::Single)) {
            self.blocks.get_mut(beside).key = self.blocks.get(single).key;
        }
    }

    /// Tells whether [`Self::refresh`] would forget blocks.
    #[inline]
    pub(crate) fn is_stale(&self, memory: &Memory, guarded: bool) -> bool {
        self.blocks.is_stale(memory) || guarded != self.guarded
    }

    /// The single instruction at `pc` that inherits `entry`, built if need be; `None` where no memory holds code.
    pub(crate) fn single(&mut self, cpu: &I, pc: u32, entry: I::Entry, memory: &mut Memory) -> Option<usize> {
        if entry == I::Entry::default() {
            return self.find_or_build(cpu, pc, Stride::Single, memory, None);
        }
        if let Some(id) = self.entered.get(&(pc, entry)) {
            return Some(*id);
        }
        let id = self.add(cpu, pc, Stride::Single, entry, memory, None)?;
        self.entered.insert((pc, entry), id);
        Some(id)
    }

    fn add(
        &mut self,
        cpu: &I,
        pc: u32,
        stride: Stride,
        entry: I::Entry,
        memory: &mut Memory,
        catalog: Option<&mut dyn BlockCatalog>,
    ) -> Option<usize> {
        let rows = self.rows;
        let catalog = catalog.map(|catalog| catalog as &mut dyn BlockCatalog);
        let mut draft = Draft {
            pc,
            most: match stride {
                Stride::Block | Stride::Marked => Most::WHOLE,
                Stride::Short => Most::SHORT,
                Stride::Single | Stride::Beside => Most::SINGLE,
            },
            beside: stride == Stride::Beside,
            memory,
            rows: &mut self.rows,
            catalog,
            cycles: 0,
            extra: 0,
            watched: self.blocks.watched(),
            steps: Vec::new(),
            places: Vec::new(),
            code: Vec::new(),
        };
        let (next_pc, detail) = cpu.build(&mut draft, entry)?;
        let mut block = Block::finish(draft, cpu, next_pc, detail);
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
