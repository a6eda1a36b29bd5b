//! Predecoded code: straight runs of instructions with their summed static cycles.
//!
//! A block begins wherever control arrives and ends at an instruction that may leave the straight line, before a watched
//! address, or at [`LONGEST`] instructions. The executor looks at the clock once a block; near an event it runs blocks
//! of a single instruction, which are kept in a table of their own. Code is in flash only.

mod block;
mod builder;

use cyclescope_machine::{Blocks, Layout, Memory, RowSet, Stride};
use cyclescope_units::Address;

pub use block::Block;
use builder::Builder;

use crate::cpu::Config;
use crate::hooks::AvrPeripherals;

/// The most instructions a block holds, so that no block outruns the next event by much.
const LONGEST: u32 = 64;

/// All predecoded code of a machine.
#[derive(Clone, Debug)]
pub struct Code<P> {
    blocks: Blocks<Block<P>>,
    rows: RowSet,
}

impl<P: AvrPeripherals> Code<P> {
    pub fn new(memory: &Memory) -> Self {
        Self { blocks: Blocks::new(memory), rows: RowSet::default() }
    }

    /// The rows of the timing table that predecoded code uses.
    pub fn rows(&self) -> RowSet {
        self.rows
    }

    /// Counts the rows of `from` as used too; blocks stay.
    pub fn restore(&mut self, from: &Self) {
        self.rows.union(from.rows);
    }

    /// Ends blocks before `address` from now on, so that the run can stop there.
    pub fn watch(&mut self, address: Address) {
        if self.blocks.watch(address) {
            self.blocks.flush();
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
        self.blocks.flush();
    }

    /// Forgets blocks that memory says are stale.
    pub fn refresh(&mut self, memory: &mut Memory) {
        if self.blocks.take_stale(memory) {
            self.blocks.flush();
        }
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
            self.blocks.lay_out(layout.renew());
        }
    }

    /// The block that begins at `pc`, built if need be; `None` behind the end of flash.
    pub fn find_or_build(
        &mut self,
        pc: u32,
        stride: Stride,
        config: &Config,
        memory: &Memory,
        layout: Option<&mut dyn Layout>,
    ) -> Option<usize> {
        match self.blocks.find(pc, stride) {
            Some(id) => Some(id),
            None => self.build(pc, stride, config, memory, layout),
        }
    }

    #[cold]
    fn build(
        &mut self,
        pc: u32,
        stride: Stride,
        config: &Config,
        memory: &Memory,
        layout: Option<&mut dyn Layout>,
    ) -> Option<usize> {
        let layout = layout.filter(|_| stride == Stride::Marked);
        let slot = self.blocks.slot(pc)?;
        let limit = if stride == Stride::Single { 1 } else { LONGEST };
        let block = Builder::new(memory, config, &mut self.rows).build(pc, limit, self.blocks.watched(), layout)?;
        if self.blocks.is_full_for(&block) {
            self.blocks.flush();
        }
        let id = self.blocks.add(block);
        self.blocks.enter(id, slot, stride);
        Some(id)
    }
}
