//! Predecoded code: straight runs of instructions with their summed static cycles.
//!
//! A block begins wherever control arrives and ends at an instruction that may leave the straight line, before a watched
//! address, or at [`LONGEST`] instructions. It carries what can be known once: cycles, instruction count, flash lines
//! crossed, the rows of the timing table it uses. The executor looks at the clock once a block; near an event it runs
//! blocks of a single instruction, which are kept in a table of their own.

mod block;
mod builder;

use std::collections::HashMap;

use cyclescope_machine::{Memory, Peripherals, RegionKind, RowSet};
use cyclescope_units::Address;

pub use block::{Block, FetchedLine};
use builder::Builder;

use crate::cpu::{Config, Entry};
use crate::decode::InstructionSet;
use crate::timing::CoreTiming;

/// The most instructions a block holds, so that no block outruns the next event by much.
const LONGEST: usize = 64;

/// The most steps kept at a time, some 40 MB: a guest that jumps to every halfword of its flash gets no more. Past that
/// all blocks are forgotten and built again as they are needed.
const MOST_STEPS: usize = 1 << 20;

/// Whether blocks run as far as they can or stop after each instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stride {
    /// Whole blocks.
    Block,
    /// One instruction at a time.
    Single,
}

/// All predecoded code of a machine.
#[derive(Clone, Debug)]
pub struct Code<P> {
    blocks: Vec<Block<P>>,
    /// For each halfword of flash, RAM and the alias at zero, the block that begins there plus one; 0 if none.
    whole: Vec<u32>,
    single: Vec<u32>,
    /// Single instructions that begin otherwise than after a branch.
    entered: HashMap<(u32, Entry), usize>,
    /// The slots in use in either table, so that forgetting costs what was built and no more.
    built: Vec<usize>,
    steps: usize,
    flash_base: u32,
    flash_bytes: u32,
    ram_base: u32,
    ram_bytes: u32,
    watched: Vec<u32>,
    generation: u32,
    rows: RowSet,
    instructions: &'static InstructionSet,
    timing: &'static CoreTiming,
    /// Whether data accesses are shown to the MPU.
    guarded: bool,
}

impl<P: Peripherals> Code<P> {
    pub fn new(config: &Config, memory: &Memory) -> Self {
        let flash_bytes = memory.flash.bytes().len() as u32;
        let ram_bytes = memory.ram.bytes().len() as u32;
        Self {
            blocks: Vec::new(),
            whole: Vec::new(),
            single: Vec::new(),
            entered: HashMap::new(),
            built: Vec::new(),
            steps: 0,
            flash_base: memory.flash.base().get(),
            flash_bytes,
            ram_base: memory.ram.base().get(),
            ram_bytes,
            watched: Vec::new(),
            generation: memory.generation(),
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
        if !self.watched.contains(&address.get()) {
            self.watched.push(address.get());
            self.flush();
        }
    }

    /// Whether blocks end before `address`.
    pub fn watches(&self, address: u32) -> bool {
        self.watched.contains(&address)
    }

    /// The addresses before which blocks end.
    pub fn watched(&self) -> &[u32] {
        &self.watched
    }

    /// Ends blocks before `addresses` and nowhere else.
    pub fn watch_only(&mut self, addresses: &[u32]) {
        self.watched.clear();
        self.watched.extend_from_slice(addresses);
        self.flush();
    }

    /// Counts the rows of `from` as used too; blocks stay.
    pub fn restore(&mut self, from: &Self) {
        self.rows.union(from.rows);
    }

    /// Forgets all blocks.
    pub fn flush(&mut self) {
        self.blocks.clear();
        self.entered.clear();
        self.steps = 0;
        for slot in self.built.drain(..) {
            for table in [&mut self.whole, &mut self.single] {
                if let Some(entry) = table.get_mut(slot) {
                    *entry = 0;
                }
            }
        }
    }

    /// Whether memory says that blocks are stale.
    pub fn is_stale(&self, memory: &Memory) -> bool {
        memory.code_changed() || memory.generation() != self.generation
    }

    /// Forgets blocks that memory says are stale, or that do not ask the MPU as they should.
    pub fn refresh(&mut self, memory: &mut Memory, guarded: bool) {
        let code_changed = memory.take_code_changed();
        if code_changed || memory.generation() != self.generation || guarded != self.guarded {
            self.generation = memory.generation();
            self.guarded = guarded;
            self.flush();
        }
    }

    /// The block at `id`, to say what it was checked under.
    pub fn block_mut(&mut self, id: usize) -> &mut Block<P> {
        &mut self.blocks[id]
    }

    /// The block at `id`.
    #[inline(always)]
    pub fn block(&self, id: usize) -> &Block<P> {
        &self.blocks[id]
    }

    /// The slot of `pc` in the entry tables: flash, then RAM, then the alias at zero.
    #[inline(always)]
    fn slot(&self, pc: u32) -> Option<usize> {
        let flash = pc.wrapping_sub(self.flash_base);
        if flash < self.flash_bytes {
            return Some((flash / 2) as usize);
        }
        let ram = pc.wrapping_sub(self.ram_base);
        if ram < self.ram_bytes {
            return Some(((self.flash_bytes + ram) / 2) as usize);
        }
        (pc < self.flash_bytes.max(self.ram_bytes)).then(|| ((self.flash_bytes + self.ram_bytes + pc) / 2) as usize)
    }

    /// The block that begins at `pc`, if it was built.
    #[inline(always)]
    pub fn find(&self, pc: u32, stride: Stride) -> Option<usize> {
        let table = match stride {
            Stride::Block => &self.whole,
            Stride::Single => &self.single,
        };
        let entry = *table.get(self.slot(pc)?)?;
        (entry as usize).checked_sub(1)
    }

    /// The whole block that begins at `pc`, if it was built; the block at `id`, after which it comes, remembers it.
    pub fn link(&mut self, id: usize, pc: u32) -> Option<usize> {
        let next = self.find(pc, Stride::Block)?;
        self.blocks[id].follow(pc, next);
        Some(next)
    }

    /// The single instruction at `pc`, begun as `entry` says.
    pub fn find_entered(&self, pc: u32, entry: Entry) -> Option<usize> {
        self.entered.get(&(pc, entry)).copied()
    }

    /// Builds the block that begins at `pc`; `None` where no memory holds code.
    #[cold]
    pub fn build(&mut self, pc: u32, stride: Stride, memory: &mut Memory) -> Option<usize> {
        let slot = self.slot(pc)?;
        let limit = if stride == Stride::Single { 1 } else { LONGEST };
        let id = self.add(pc, limit, Entry::PLAIN, memory)?;
        let slots = (self.flash_bytes + self.ram_bytes + self.flash_bytes.max(self.ram_bytes)) as usize / 2 + 1;
        let table = match stride {
            Stride::Block => &mut self.whole,
            Stride::Single => &mut self.single,
        };
        if table.is_empty() {
            *table = vec![0; slots];
        }
        table[slot] = id as u32 + 1;
        self.built.push(slot);
        Some(id)
    }

    /// Builds the single instruction at `pc` begun as `entry` says; `None` where no memory holds code.
    #[cold]
    pub fn build_entered(&mut self, pc: u32, entry: Entry, memory: &mut Memory) -> Option<usize> {
        self.slot(pc)?;
        let id = self.add(pc, 1, entry, memory)?;
        self.entered.insert((pc, entry), id);
        Some(id)
    }

    fn add(&mut self, pc: u32, limit: usize, entry: Entry, memory: &mut Memory) -> Option<usize> {
        let builder = Builder::new(memory, self.instructions, self.timing, &self.watched, &mut self.rows);
        let block = builder.build(pc, limit, entry, self.guarded)?;
        if let (Some(RegionKind::Ram(from)), Some(RegionKind::Ram(to))) =
            (memory.region(pc), memory.region(block.next_pc.wrapping_sub(1)))
        {
            memory.mark_code(from, to + 1);
        }
        if self.steps + block.steps.len() > MOST_STEPS {
            self.flush();
        }
        self.steps += block.steps.len();
        self.blocks.push(block);
        Some(self.blocks.len() - 1)
    }
}
