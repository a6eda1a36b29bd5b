//! Predecoded code: straight runs of instructions with their summed static cycles.
//!
//! A block begins wherever control arrives and ends at an instruction that may leave the straight line, before a watched
//! address, or at [`LONGEST`] instructions. The executor looks at the clock once a block; near an event it runs blocks
//! of a single instruction, which are kept in a table of their own.
//!
//! The tables hold a place for each halfword of flash and of the first [`NEAR`] bytes of the main RAM. Code elsewhere, which is
//! rare, is looked up by its address: parts have RAM by the hundred megabytes, and a table must not be of that size.

mod block;
mod builder;

use std::collections::HashMap;

use cyclescope_machine::{Blocks, Layout, Memory, Peripherals, RowSet, Stride};
use cyclescope_units::Address;

pub use block::Block;
use builder::Builder;

use crate::config::Config;

/// The most instructions a block holds, so that no block outruns the next event by much.
const LONGEST: usize = 64;

/// How much of the main RAM has its place in the tables of blocks.
const NEAR: usize = 1 << 20;

/// All predecoded code of a machine.
#[derive(Clone, Debug)]
pub struct Code<P> {
    blocks: Blocks<Block<P>>,
    /// Blocks without a place in the tables, by stride.
    far: [HashMap<u32, usize>; 3],
    rows: RowSet,
}

impl<P: Peripherals> Code<P> {
    pub fn new(memory: &Memory) -> Self {
        let (flash, ram) = (&memory.flash, &memory.ram);
        let blocks = if ram.bytes().len() <= NEAR {
            Blocks::new(memory)
        } else {
            Blocks::new(&Memory::new(flash.base(), flash.bytes().to_vec(), ram.base(), NEAR))
        };
        Self { blocks, far: Default::default(), rows: RowSet::default() }
    }

    /// The rows of the timing table that predecoded code uses.
    pub fn rows(&self) -> RowSet {
        self.rows
    }

    /// Counts the rows of `from` as used too; blocks stay.
    pub fn restore(&mut self, from: &Self) {
        self.rows.union(from.rows);
    }

    /// Forgets all blocks.
    pub fn flush(&mut self) {
        self.blocks.flush();
        self.far.iter_mut().for_each(HashMap::clear);
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

    /// Whether memory says that blocks are stale.
    pub fn is_stale(&self, memory: &Memory) -> bool {
        self.blocks.is_stale(memory)
    }

    /// Forgets blocks that memory says are stale.
    pub fn refresh(&mut self, memory: &mut Memory) {
        if self.blocks.take_stale(memory) {
            self.flush();
        }
    }

    /// The block at `id`.
    #[inline(always)]
    pub fn block(&self, id: usize) -> &Block<P> {
        self.blocks.get(id)
    }

    /// The block at `id`, to say what it was checked under.
    pub fn block_mut(&mut self, id: usize) -> &mut Block<P> {
        self.blocks.get_mut(id)
    }

    /// The block that begins at `pc`, if it was built.
    #[inline(always)]
    pub fn find(&self, pc: u32, stride: Stride) -> Option<usize> {
        let id = self.blocks.find(pc, stride);
        if id.is_none() { self.find_far(pc, stride) } else { id }
    }

    /// The same, where it has no place in the tables.
    #[cold]
    fn find_far(&self, pc: u32, stride: Stride) -> Option<usize> {
        self.far[stride as usize].get(&pc).copied()
    }

    /// The block that begins at `pc`, if it was built as that at `id` was, after which it comes and which remembers it.
    pub fn link(&mut self, id: usize, pc: u32, stride: Stride) -> Option<usize> {
        self.blocks.link(id, pc, stride)
    }

    /// Has marked blocks be of `layout`'s set of blocks; those of another set are forgotten.
    #[inline(always)]
    pub fn agree(&mut self, layout: Option<&mut dyn Layout>) {
        if let Some(layout) = layout.filter(|layout| layout.number() != self.blocks.layout()) {
            self.flush();
            self.blocks.lay_out(layout.renew());
        }
    }

    /// The block that begins at `pc`, built if need be; `None` where no memory holds code.
    pub fn find_or_build(
        &mut self,
        pc: u32,
        stride: Stride,
        config: &Config,
        memory: &mut Memory,
        layout: Option<&mut dyn Layout>,
    ) -> Option<usize> {
        match self.find(pc, stride) {
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
        memory: &mut Memory,
        layout: Option<&mut dyn Layout>,
    ) -> Option<usize> {
        let layout = layout.filter(|_| stride == Stride::Marked).map(|layout| layout as &mut dyn Layout);
        let limit = if stride == Stride::Single { 1 } else { LONGEST };
        let block = Builder::new(memory, config, &mut self.rows, layout).build(pc, limit, self.blocks.watched())?;
        if self.blocks.is_full_for(&block) {
            self.flush();
        }
        let id = self.blocks.add(block);
        match self.blocks.slot(pc) {
            Some(slot) => self.blocks.enter(id, slot, stride),
            None => {
                self.far[stride as usize].insert(pc, id);
            }
        }
        Some(id)
    }
}
