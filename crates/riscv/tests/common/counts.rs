//! What each instruction took, by address: told one by one, and in blocks.

use std::collections::BTreeMap;

use cyclescope_machine::{Laid, Layout, Retire, Run, Sink};
use cyclescope_units::{Address, Cycles};

/// How often the instruction at an address retired, and its cycles.
pub type Counts = BTreeMap<u32, (u64, u64)>;

/// Counts blocks by their instructions.
#[derive(Debug, Default)]
pub struct InBlocks {
    number: u64,
    blocks: Vec<Vec<Laid>>,
    stalls: Vec<u64>,
    counts: Counts,
    /// Blocks of several instructions that ran.
    pub long: u64,
}

impl InBlocks {
    /// All that was counted.
    pub fn counts(self) -> Counts {
        let mut counts = self.counts;
        for (counter, cycles) in self.stalls.iter().enumerate() {
            let (_, sum) = counts.entry(2 * counter as u32 + super::RAM).or_default();
            *sum = sum.wrapping_add(*cycles);
        }
        counts.retain(|_, counted| *counted != (0, 0));
        counts
    }
}

impl Layout for InBlocks {
    fn number(&self) -> u64 {
        self.number
    }

    fn renew(&mut self) -> u64 {
        self.blocks.clear();
        self.number += 1;
        self.number
    }

    fn parts(&mut self, _: Address, _: Address) -> bool {
        false
    }

    fn counter(&mut self, pc: Address) -> u32 {
        (pc.get() - super::RAM) / 2
    }

    fn block(&mut self, code: &[Laid]) -> u32 {
        self.blocks.push(code.to_vec());
        self.blocks.len() as u32 - 1
    }

    fn stalls(&mut self) -> Option<&mut Vec<u64>> {
        Some(&mut self.stalls)
    }
}

impl Sink for InBlocks {
    const OBSERVES: bool = true;
    const BLOCKS: bool = true;

    fn retire(&mut self, retire: Retire) {
        let (count, cycles) = self.counts.entry(retire.pc.get()).or_default();
        *count += 1;
        *cycles += retire.cycles.get();
    }

    fn ran(&mut self, run: Run) {
        let code = &self.blocks[run.block as usize][..run.instructions as usize];
        self.long += u64::from(code.len() > 1);
        let mut left = (run.end - run.marked).get();
        for laid in code {
            let (count, cycles) = self.counts.entry(laid.pc.get()).or_default();
            *count += 1;
            *cycles = cycles.wrapping_add(laid.cycles.into());
            left = left.wrapping_sub(laid.cycles.into());
        }
        let last = code.last().expect("an instruction retired").pc.get();
        let (_, cycles) = self.counts.entry(last).or_default();
        *cycles = cycles.wrapping_add(left);
    }

    fn layout(&mut self) -> Option<&mut dyn Layout> {
        Some(self)
    }
}

impl super::Machine {
    /// What each instruction takes up to the cycle `until`, told one by one.
    pub fn counts_of_each(&mut self, until: u64) -> Counts {
        let mut counts = Counts::new();
        for retire in self.trace(until).0 {
            let (count, cycles) = counts.entry(retire.pc.get()).or_default();
            *count += 1;
            *cycles += retire.cycles.get();
        }
        counts
    }

    /// The same in blocks, and how many of them were of several instructions.
    pub fn counts_in_blocks(&mut self, until: u64) -> (Counts, u64) {
        let mut sink = InBlocks::default();
        self.core.run_into(&mut self.bus, Cycles::new(until), &mut sink);
        let long = sink.long;
        (sink.counts(), long)
    }
}
