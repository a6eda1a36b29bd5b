//! The table of blocks: found by the address they begin at, and by the block that they follow.
//!
//! The table has a slot for each place where an instruction may begin ([`InstructionSet::ALIGNMENT`]) in flash, in the first
//! [`NEAR`] bytes of the main RAM, and in what can appear at zero. Code elsewhere is rare, and is found in a map: a part may have
//! RAM by the hundred megabytes.

use std::fmt;

use cyclescope_machine::Memory;
use cyclescope_machine::units::Address;
use rustc_hash::FxHashMap;

use crate::block::Block;
use crate::instruction_set::InstructionSet;

/// The most steps kept at a time, some 40 MB. A guest that jumps to every halfword of its flash gets no more: all blocks are
/// forgotten then, and built again as they are needed.
const MOST_STEPS: usize = 1 << 20;

/// The most blocks that are kept. Code whose instructions all stand in blocks of their own would take the most memory.
const MOST_BLOCKS: usize = 1 << 18;

/// The bytes of the main RAM that have slots.
const NEAR: usize = 1 << 20;

/// The amount that a core executes at a time while nothing can happen by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stride {
    /// A whole block, in silence.
    Block,
    /// A short block, in silence.
    Short,
    /// One instruction.
    Single,
    /// A whole block with marks, reported to an observer as one run.
    Marked,
    /// One instruction beside another core, whose fetches are made apart.
    Beside,
}

/// The number of strides.
const STRIDES: usize = 5;

/// All blocks of a core. An id is good until [`Blocks::flush`].
#[derive(Clone)]
pub struct Blocks<I: InstructionSet, P> {
    blocks: Vec<Block<I, P>>,
    /// By stride: for each slot the block that begins there plus one; 0 if none.
    tables: [Vec<u32>; STRIDES],
    /// By stride: blocks without a slot.
    far: [FxHashMap<u32, usize>; STRIDES],
    /// The edition of the observer's catalog that lists the marked blocks; 0 if there are none.
    edition: u64,
    /// The slots in use in any table, so that forgetting costs what was built and no more.
    built: Vec<usize>,
    steps: usize,
    flash_base: u32,
    flash_bytes: u32,
    ram_base: u32,
    ram_bytes: u32,
    zero_bytes: u32,
    watched: Vec<u32>,
    generation: u32,
    flushes: u64,
}

impl<I: InstructionSet, P> fmt::Debug for Blocks<I, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blocks").field("blocks", &self.blocks).field("watched", &self.watched).finish_non_exhaustive()
    }
}

impl<I: InstructionSet, P> Blocks<I, P> {
    /// An empty table for the code in `memory`.
    pub fn new(memory: &Memory) -> Self {
        Self {
            blocks: Vec::new(),
            tables: Default::default(),
            far: Default::default(),
            edition: 0,
            built: Vec::new(),
            steps: 0,
            flash_base: memory.flash.base().get(),
            flash_bytes: memory.flash.bytes().len() as u32,
            ram_base: memory.ram.base().get(),
            ram_bytes: memory.ram.bytes().len().min(NEAR) as u32,
            zero_bytes: memory.most_at_zero() as u32,
            watched: Vec::new(),
            generation: memory.generation(),
            flushes: 0,
        }
    }

    /// The addresses before which blocks end.
    pub fn watched(&self) -> &[u32] {
        &self.watched
    }

    /// Says whether blocks end before `address`.
    pub fn watches(&self, address: u32) -> bool {
        self.watched.contains(&address)
    }

    /// Ends blocks before `address` from now on, so that the run can stop there.
    pub fn watch(&mut self, address: Address) {
        if !self.watches(address.get()) {
            self.watched.push(address.get());
            self.flush();
        }
    }

    /// Ends blocks before `addresses` and nowhere else from now on.
    pub fn watch_only(&mut self, addresses: &[u32]) {
        self.watched.clear();
        self.watched.extend_from_slice(addresses);
        self.flush();
    }

    /// Says whether memory has changed under the blocks.
    pub fn is_stale(&self, memory: &Memory) -> bool {
        memory.code_changed() || memory.generation() != self.generation
    }

    /// Says the same and takes note of the change; the caller flushes.
    #[must_use]
    pub fn take_stale(&mut self, memory: &mut Memory) -> bool {
        let stale = self.is_stale(memory);
        memory.take_code_changed();
        self.generation = memory.generation();
        stale
    }

    /// Forgets all blocks.
    pub fn flush(&mut self) {
        self.flushes += 1;
        self.blocks.clear();
        self.steps = 0;
        self.edition = 0;
        self.far.iter_mut().for_each(FxHashMap::clear);
        for slot in self.built.drain(..) {
            for table in &mut self.tables {
                if let Some(entry) = table.get_mut(slot) {
                    *entry = 0;
                }
            }
        }
    }

    /// The times that all blocks were forgotten.
    pub fn flushes(&self) -> u64 {
        self.flushes
    }

    /// The block `id`.
    #[inline(always)]
    pub fn get(&self, id: usize) -> &Block<I, P> {
        &self.blocks[id]
    }

    /// The block `id`, to note the key that it was checked under.
    pub fn get_mut(&mut self, id: usize) -> &mut Block<I, P> {
        &mut self.blocks[id]
    }

    /// The slot of `pc`: flash, then RAM, then what can appear at zero; `None` for code elsewhere.
    #[inline(always)]
    fn slot(&self, pc: u32) -> Option<usize> {
        let flash = pc.wrapping_sub(self.flash_base);
        if flash < self.flash_bytes {
            return Some((flash / I::ALIGNMENT) as usize);
        }
        let ram = pc.wrapping_sub(self.ram_base);
        if ram < self.ram_bytes {
            return Some(((self.flash_bytes + ram) / I::ALIGNMENT) as usize);
        }
        (pc < self.zero_bytes).then(|| ((self.flash_bytes + self.ram_bytes + pc) / I::ALIGNMENT) as usize)
    }

    /// The block that begins at `pc`, if it was built.
    #[inline(always)]
    pub fn find(&self, pc: u32, stride: Stride) -> Option<usize> {
        match self.slot(pc) {
            Some(slot) => (*self.tables[stride as usize].get(slot)? as usize).checked_sub(1),
            None => self.find_far(pc, stride),
        }
    }

    #[cold]
    fn find_far(&self, pc: u32, stride: Stride) -> Option<usize> {
        self.far[stride as usize].get(&pc).copied()
    }

    /// The edition of the observer's catalog that lists the marked blocks; 0 if there are none.
    #[inline(always)]
    pub fn edition(&self) -> u64 {
        self.edition
    }

    /// Forgets all blocks; marked ones are listed in the catalog's `edition` from now on.
    pub fn begin_edition(&mut self, edition: u64) {
        self.flush();
        self.edition = edition;
    }

    /// Marked blocks, of which there are none yet, are listed in the catalog's `edition` from now on.
    pub fn go_on_with(&mut self, edition: u64) {
        self.edition = edition;
    }

    /// The block that begins at `pc`, if it was built for `stride`. The block `id`, which it follows, remembers it.
    pub fn link(&mut self, id: usize, pc: u32, stride: Stride) -> Option<usize> {
        let next = self.find(pc, stride)?;
        self.blocks[id].successors.follow(pc, next);
        Some(next)
    }

    /// Says whether `block` would be more than may be kept.
    pub fn is_full_for(&self, block: &Block<I, P>) -> bool {
        self.steps + block.steps.len() > MOST_STEPS || self.blocks.len() >= MOST_BLOCKS
    }

    /// Keeps `block`, which is found by its id only.
    pub fn add(&mut self, block: Block<I, P>) -> usize {
        self.steps += block.steps.len();
        self.blocks.push(block);
        self.blocks.len() - 1
    }

    /// Lets the block `id` be found at `pc`, where it begins.
    pub fn enter(&mut self, id: usize, pc: u32, stride: Stride) {
        let Some(slot) = self.slot(pc) else {
            self.far[stride as usize].insert(pc, id);
            return;
        };
        let slots = (self.flash_bytes + self.ram_bytes + self.zero_bytes) as usize / I::ALIGNMENT as usize + 1;
        let table = &mut self.tables[stride as usize];
        if table.is_empty() {
            *table = vec![0; slots];
        }
        table[slot] = id as u32 + 1;
        self.built.push(slot);
    }
}
