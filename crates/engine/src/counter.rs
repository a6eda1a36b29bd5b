//! An observer that counts instructions and cycles by address, for laws and other comparisons.

use std::collections::BTreeMap;

use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{BlockCatalog, BlockInstruction, Counted, Joined, Retire, Run, Sink, State, new_edition};

/// By address, the number of times that the instruction retired, and its cycles.
pub type Counts = BTreeMap<u32, (u64, u64)>;

/// Adds an instruction that has retired.
pub fn add(counts: &mut Counts, retire: Retire) {
    let (count, cycles) = counts.entry(retire.pc.get()).or_default();
    *count += 1;
    *cycles += retire.cycles.get();
}

/// Counts blocks by their instructions.
#[derive(Debug)]
pub struct Counter {
    edition: u64,
    blocks: Vec<Vec<BlockInstruction>>,
    /// The address of each counter.
    addresses: Vec<u32>,
    stalls: Vec<u64>,
    counts: Counts,
    /// Blocks of several instructions that ran.
    long: u64,
    /// The instructions, and their cycles, that were told of in their order, and the cycles among them that were of no block.
    told: (u64, u64),
    single: u64,
    /// The cycles that were counted, and those that marks counted, by block.
    counted: u64,
    /// The cycle at which the last one ended, and whether another one has begun before.
    end: u64,
    overlaps: bool,
}

impl Default for Counter {
    fn default() -> Self {
        Self {
            edition: new_edition(),
            blocks: Vec::new(),
            addresses: Vec::new(),
            stalls: Vec::new(),
            counts: Counts::new(),
            long: 0,
            told: (0, 0),
            single: 0,
            counted: 0,
            end: 0,
            overlaps: false,
        }
    }
}

impl Counter {
    fn add_cycles(&mut self, pc: u32, count: u64, cycles: u64) {
        let (counted, sum) = self.counts.entry(pc).or_default();
        *counted += count;
        *sum = sum.wrapping_add(cycles);
    }

    fn tell(&mut self, instructions: u64, began: Cycles, end: Cycles) {
        self.overlaps |= began.get() < self.end;
        self.end = end.get();
        self.told.0 += instructions;
        self.told.1 += (end - began).get();
    }

    /// The clock goes back.
    pub fn rewind(&mut self) {
        self.end = 0;
    }

    /// All that was counted; `None` if that is not what it was told of.
    pub fn counts(mut self) -> Option<Counts> {
        let stalls = std::mem::take(&mut self.stalls);
        for (pc, cycles) in self.addresses.clone().into_iter().zip(stalls) {
            self.add_cycles(pc, 0, cycles);
        }
        self.counts.retain(|_, counted| *counted != (0, 0));
        let sum = |sums: (u64, u64), counted: &(u64, u64)| (sums.0 + counted.0, sums.1.wrapping_add(counted.1));
        let is_sum = self.counts.values().fold((0, 0), sum) == self.told;
        let is_sum_of_blocks = self.told.1.wrapping_sub(self.single) == self.counted;
        (is_sum && is_sum_of_blocks && !self.overlaps).then_some(self.counts)
    }

    /// Tells whether a block of several instructions has run.
    pub(crate) fn has_counted_long_blocks(&self) -> bool {
        self.long > 0
    }
}

impl BlockCatalog for Counter {
    fn edition(&self) -> u64 {
        self.edition
    }

    fn renew(&mut self) -> u64 {
        self.blocks.clear();
        self.edition = new_edition();
        self.edition
    }

    fn splits(&mut self, _: Address, _: Address) -> bool {
        false
    }

    fn counter(&mut self, pc: Address) -> u32 {
        let known = self.addresses.iter().position(|address| *address == pc.get());
        let counter = known.unwrap_or(self.addresses.len());
        if known.is_none() {
            self.addresses.push(pc.get());
        }
        counter as u32
    }

    fn add(&mut self, code: &[BlockInstruction]) -> u32 {
        self.blocks.push(code.to_vec());
        self.blocks.len() as u32 - 1
    }

    fn stalls(&mut self) -> Option<&mut Vec<u64>> {
        Some(&mut self.stalls)
    }

    fn joins_runs(&self) -> bool {
        true
    }

    /// Two of three pairs may be joined.
    fn joins(&mut self, block: u32, _: u32, next: u32) -> bool {
        !(block + next).is_multiple_of(3)
    }

    fn ran_joined(&mut self, joined: Joined, _: Option<State<'_>>) {
        let Joined { last, instructions, .. } = joined;
        self.tell(instructions, last.began, last.end);
    }

    fn count(&mut self, counted: Counted) {
        let Counted { block, instructions, runs, cycles, marked } = counted;
        self.counted = self.counted.wrapping_add(cycles).wrapping_add(marked);
        let code = self.blocks[block as usize][..instructions as usize].to_vec();
        self.long += if code.len() > 1 { runs } else { 0 };
        let mut left = cycles;
        for instruction in &code {
            let cycles = u64::from(instruction.cycles).wrapping_mul(runs);
            self.add_cycles(instruction.pc.get(), runs, cycles);
            left = left.wrapping_sub(cycles);
        }
        let last = code.last().expect("a run has at least one instruction").pc.get();
        self.add_cycles(last, 0, left);
    }
}

impl Sink for Counter {
    const OBSERVES: bool = true;
    const BLOCKS: bool = true;

    fn retire(&mut self, retire: Retire) {
        self.add_cycles(retire.pc.get(), 1, retire.cycles.get());
        self.single += retire.cycles.get();
        self.tell(1, retire.at, retire.at + retire.cycles);
    }

    fn ran(&mut self, run: Run) {
        let cycles = run.end.get().wrapping_sub(run.marked.get());
        let marked = run.marked.get().wrapping_sub(run.began.get());
        self.count(Counted { block: run.block, instructions: run.instructions, runs: 1, cycles, marked });
        self.tell(run.instructions.into(), run.began, run.end);
    }

    fn catalog(&mut self) -> Option<&mut dyn BlockCatalog> {
        Some(self)
    }
}
