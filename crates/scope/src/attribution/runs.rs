//! Counters for each block, and what they come to by instruction.
//!
//! A block is counted by how far it ran: once in the counter of the last instruction that retired. An instruction retired as
//! often as the runs that ended with it or behind it; its cycles are those known when the block was built, as often, what
//! the marks in the block have counted for it, and what was left over behind the last mark where it was the last.

use std::sync::atomic::{AtomicU64, Ordering};

use cyclescope_machine::BlockInstruction;

use super::class::Flow;
use super::code::{FunctionId, Slot};

/// The runs of a block that ended with one of its instructions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ending {
    runs: u64,
    /// Their cycles, but for what marks have counted.
    cycles: u64,
    /// The instruction: its address, that behind it and its slot.
    pub(super) pc: u32,
    pub(super) next_pc: u32,
    pub(super) slot: u32,
    /// The cycles known when the block was built: of what comes before it, and its own.
    pub(super) before: u32,
    cycles_each: u32,
    pub(super) flow: Flow,
}

impl Ending {
    #[inline(always)]
    pub(super) fn count(&mut self, cycles: u64) {
        self.runs += 1;
        self.cycles = self.cycles.wrapping_add(cycles);
    }
}

/// A block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    /// Its first instruction, and that one's slot.
    pub(super) pc: u32,
    pub(super) slot: u32,
    /// Of all its instructions.
    pub(super) function: FunctionId,
    /// The first of its endings, of which there is one for each instruction.
    first: u32,
    instructions: u32,
}

/// The blocks of a core, as far as it has told of them.
#[derive(Debug, Default)]
pub(super) struct Runs {
    blocks: Vec<Counted>,
    endings: Vec<Ending>,
    /// Cycles that marks have counted, by slot.
    pub(super) stalls: Vec<u64>,
    /// The number of this edition of the catalog.
    pub(super) edition: u64,
}

impl Runs {
    /// A block of the instructions `code`; `slots` are those that they count in.
    pub(super) fn add(&mut self, code: &[BlockInstruction], function: FunctionId, slots: &[(u32, Slot)]) -> u32 {
        let first = self.endings.len() as u32;
        let mut before = 0;
        self.endings.extend(code.iter().zip(slots).map(|(instruction, (slot, known))| {
            let (pc, slot) = (instruction.pc.get(), *slot);
            let next_pc = pc.wrapping_add(u32::from(known.kind.length));
            let (cycles_each, flow) = (instruction.cycles, known.kind.flow);
            let ending = Ending { runs: 0, cycles: 0, pc, next_pc, slot, before, cycles_each, flow };
            before += instruction.cycles;
            ending
        }));
        let Ending { pc, slot, .. } = self.endings[first as usize];
        self.blocks.push(Counted { pc, slot, function, first, instructions: code.len() as u32 });
        self.blocks.len() as u32 - 1
    }

    #[inline(always)]
    pub(super) fn block(&self, number: u32) -> Counted {
        self.blocks[number as usize]
    }

    /// The ending of `block` with its instruction of this number from 1.
    #[inline(always)]
    pub(super) fn ending(&mut self, block: Counted, instructions: u32) -> &mut Ending {
        &mut self.endings[(block.first + instructions - 1) as usize]
    }

    /// Adds all that is counted to the slots.
    pub(super) fn add_to(&self, slots: &mut [Slot]) {
        for block in &self.blocks {
            let endings = &self.endings[block.first as usize..][..block.instructions as usize];
            let mut runs = 0;
            for ending in endings.iter().rev() {
                runs += ending.runs;
                let known = u64::from(ending.before + ending.cycles_each).wrapping_mul(ending.runs);
                let rest = ending.cycles.wrapping_sub(known);
                let slot = &mut slots[ending.slot as usize];
                slot.instructions = slot.instructions.wrapping_add(runs);
                let cycles = u64::from(ending.cycles_each).wrapping_mul(runs).wrapping_add(rest);
                slot.cycles = slot.cycles.wrapping_add(cycles);
            }
        }
        for (slot, stall) in slots.iter_mut().zip(&self.stalls) {
            slot.cycles = slot.cycles.wrapping_add(*stall);
        }
    }

    /// Forgets all blocks, whose counts have been added to `slots`, and begins another set.
    pub(super) fn renew(&mut self, slots: &mut [Slot]) -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        self.add_to(slots);
        self.stalls.fill(0);
        self.blocks.clear();
        self.endings.clear();
        // Only told apart from others, of whatever thread: nothing that is counted depends on it.
        self.edition = NEXT.fetch_add(1, Ordering::Relaxed);
        self.edition
    }
}
