//! Counters for blocks, and their conversion to counters for instructions.
//!
//! Each run of a block increments one counter: that of the last instruction that retired. An instruction thus retired
//! once for each run that ended at it or behind it. Its cycles are the static cycles times that count, plus the cycles
//! that the marks of the block counted for it, plus the remainder of the runs that ended at it.

use cyclescope_machine::{BlockInstruction, new_edition};

use super::class::Flow;
use super::code::{FunctionId, Slot};

/// Runs of a block that ended at one of its instructions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ending {
    runs: u64,
    /// Cycles of these runs, without those that marks counted.
    cycles: u64,
    /// The instruction: its address, the next instruction's address, and its slot.
    pub(super) pc: u32,
    pub(super) next_pc: u32,
    pub(super) slot: u32,
    /// Static cycles of the instructions before it in the block, and its own.
    pub(super) before: u32,
    cycles_each: u32,
    pub(super) flow: Flow,
}

impl Ending {
    #[inline(always)]
    pub(super) fn count(&mut self, runs: u64, cycles: u64) {
        self.runs += runs;
        self.cycles = self.cycles.wrapping_add(cycles);
    }
}

/// A counted block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// The first instruction and its slot.
    pub(super) pc: u32,
    pub(super) slot: u32,
    /// The function of all its instructions.
    pub(super) function: FunctionId,
    /// The index of its first ending. There is one ending for each instruction.
    first: u32,
    instructions: u32,
}

/// The blocks that a core has described so far.
#[derive(Debug)]
pub(super) struct Runs {
    blocks: Vec<Block>,
    endings: Vec<Ending>,
    /// Cycles that marks counted, by slot.
    pub(super) stalls: Vec<u64>,
    /// The number of this edition of the catalog.
    pub(super) edition: u64,
}

impl Runs {
    /// None, in an edition of their own.
    pub(super) fn new() -> Self {
        Self { blocks: Vec::new(), endings: Vec::new(), stalls: Vec::new(), edition: new_edition() }
    }

    /// Adds a block of the instructions `code`, which count in `slots`, and returns its counter.
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
        self.blocks.push(Block { pc, slot, function, first, instructions: code.len() as u32 });
        self.blocks.len() as u32 - 1
    }

    #[inline(always)]
    pub(super) fn block(&self, number: u32) -> Block {
        self.blocks[number as usize]
    }

    /// Returns the ending of `block` at its instruction `count`, counted from 1.
    #[inline(always)]
    pub(super) fn ending(&mut self, block: Block, instructions: u32) -> &mut Ending {
        &mut self.endings[(block.first + instructions - 1) as usize]
    }

    /// Adds all counts to the slots.
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

    /// Adds all counts to `slots`, forgets all blocks and starts a new set. Returns the set's number.
    pub(super) fn renew(&mut self, slots: &mut [Slot]) -> u64 {
        self.add_to(slots);
        self.stalls.fill(0);
        self.blocks.clear();
        self.endings.clear();
        self.edition = new_edition();
        self.edition
    }
}
