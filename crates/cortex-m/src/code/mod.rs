//! Predecoded code: runs of instructions with their summed static cycles.
//!
//! A block begins wherever control arrives. It goes on past branches whose target is known, as [`builder`] says, and ends
//! at any other instruction after which control may be elsewhere, before a watched address, or at [`LONGEST`]
//! instructions. It carries what can be known once: cycles, instruction count, flash lines
//! crossed, the rows of the timing table it uses. The executor looks at the clock once a block; near an event it runs
//! blocks of a single instruction, which are kept in a table of their own.

mod block;
mod builder;
mod memories;

use std::collections::HashMap;

use cyclescope_machine::{Blocks, Layout, Memory, Peripherals, RegionKind, RowSet, Stride};
use cyclescope_units::Address;

pub use block::{Block, Fetch, FetchKind, FetchRun, Place, Refill};
use builder::Builder;

use crate::cpu::{Config, Entry};
use crate::decode::InstructionSet;
use crate::timing::CoreTiming;

/// The most instructions a block holds, so that no block outruns the next event by much.
const LONGEST: usize = 64;

/// All predecoded code of a machine.
#[derive(Clone, Debug)]
pub struct Code<P> {
    blocks: Blocks<Block<P>>,
    /// Single instructions that begin otherwise than after a branch.
    entered: HashMap<(u32, Entry), usize>,
    rows: RowSet,
    instructions: &'static InstructionSet,
    timing: &'static CoreTiming,
    /// Whether data accesses are shown to the MPU.
    guarded: bool,
}

impl<P: Peripherals> Code<P> {
    pub fn new(config: &Config, memory: &Memory) -> Self {
        Self {
            blocks: Blocks::new(memory),
            entered: HashMap::new(),
            rows: RowSet::default(),
            instructions: config.architecture.instructions(),
            timing: config.timing,
            guarded: false,
        }
    }

    /// The rows of the timing table that predecoded code uses.
    pub fn rows(&self) -> RowSet {
        self.rows
    }

    /// Ends blocks before `address` from now on, so that the run can stop there.
    pub fn watch(&mut self, address: Address) {
        if self.blocks.watch(address) {
            self.flush();
        }
    }

    /// Whether blocks end before `address`.
    pub fn watches(&self, address: u32) -> bool {
        self.blocks.watches(address)
    }

    /// The addresses before which blocks end.
    pub fn watched(&self) -> &[u32] {
        self.blocks.watched()
    }

    /// Ends blocks before `addresses` and nowhere else.
    pub fn watch_only(&mut self, addresses: &[u32]) {
        self.blocks.watch_only(addresses);
        self.flush();
    }

    /// Counts the rows of `from` as used too; blocks stay.
    pub fn restore(&mut self, from: &Self) {
        self.rows.union(from.rows);
    }

    /// Forgets all blocks.
    pub fn flush(&mut self) {
        self.blocks.flush();
        self.entered.clear();
    }

    /// Whether memory says that blocks are stale.
    pub fn is_stale(&self, memory: &Memory) -> bool {
        self.blocks.is_stale(memory)
    }

    /// Forgets blocks that memory says are stale, or that do not ask the MPU as they should.
    pub fn refresh(&mut self, memory: &mut Memory, guarded: bool) {
        if self.blocks.take_stale(memory) | (guarded != self.guarded) {
            self.guarded = guarded;
            self.flush();
        }
    }

    /// The block at `id`, to say what it was checked under.
    pub fn block_mut(&mut self, id: usize) -> &mut Block<P> {
        self.blocks.get_mut(id)
    }

    /// The block at `id`.
    #[inline(always)]
    pub fn block(&self, id: usize) -> &Block<P> {
        self.blocks.get(id)
    }

    /// The block that begins at `pc`, if it was built.
    #[inline(always)]
    pub fn find(&self, pc: u32, stride: Stride) -> Option<usize> {
        self.blocks.find(pc, stride)
    }

    /// The block that begins at `pc`, if it was built as that at `id` was, after which it comes and which remembers it.
    pub fn link(&mut self, id: usize, pc: u32, stride: Stride) -> Option<usize> {
        self.blocks.link(id, pc, stride)
    }

    /// Has marked blocks be of `layout`'s set of blocks; those of another set are forgotten.
    #[inline(always)]
    pub fn agree(&mut self, layout: Option<&mut dyn Layout>) {
        if let Some(layout) = layout.filter(|layout| layout.number() != self.blocks.layout()) {
            self.entered.clear();
            self.blocks.lay_out(layout.renew());
        }
    }

    /// The single instruction at `pc`, begun as `entry` says.
    pub fn find_entered(&self, pc: u32, entry: Entry) -> Option<usize> {
        self.entered.get(&(pc, entry)).copied()
    }

    /// Builds the block that begins at `pc`; `None` where no memory holds code.
    #[cold]
    pub fn build(
        &mut self,
        pc: u32,
        stride: Stride,
        memory: &mut Memory,
        layout: Option<&mut dyn Layout>,
    ) -> Option<usize> {
        let slot = self.blocks.slot(pc)?;
        let limit = if stride == Stride::Single { 1 } else { LONGEST };
        let id = self.add(pc, limit, Entry::PLAIN, memory, layout.filter(|_| stride == Stride::Marked))?;
        self.blocks.enter(id, slot, stride);
        Some(id)
    }

    /// Builds the single instruction at `pc` begun as `entry` says; `None` where no memory holds code.
    #[cold]
    pub fn build_entered(&mut self, pc: u32, entry: Entry, memory: &mut Memory) -> Option<usize> {
        self.blocks.slot(pc)?;
        let id = self.add(pc, 1, entry, memory, None)?;
        self.entered.insert((pc, entry), id);
        Some(id)
    }

    fn add(
        &mut self,
        pc: u32,
        limit: usize,
        entry: Entry,
        memory: &mut Memory,
        layout: Option<&mut dyn Layout>,
    ) -> Option<usize> {
        let rows = self.rows;
        let watched = self.blocks.watched();
        let layout = layout.map(|layout| layout as &mut dyn Layout);
        let builder = Builder::new(memory, self.instructions, self.timing, watched, &mut self.rows, layout);
        let block = builder.build(pc, limit, entry, self.guarded)?;
        if let (Some(RegionKind::Ram(from)), Some(RegionKind::Ram(to))) =
            (memory.region(pc), memory.region(block.next_pc.wrapping_sub(1)))
        {
            memory.mark_code(from, to + 1);
        }
        // With rows new to the run, blocks that ended for want of them may go further: a table has few.
        if self.rows != rows || self.blocks.is_full_for(&block) {
            self.flush();
        }
        Some(self.blocks.add(block))
    }
}
