//! A second tier that compiles nothing and counts what would run lowered.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use cyclescope_machine::{BlockCatalog, Bus, Memory};

use crate::block::Execute as _;
use crate::blocks::Blocks;
use crate::instruction_set::Hooks;
use crate::micro::{After, Lowering};
use crate::tier::{Decision, Left, Made, Ran, Then, Tier};

/// Counts of retired instructions by the way in which a compiled tier would carry them out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoweredShare {
    /// Instructions that run lowered.
    pub lowered: u64,
    /// Instructions that are left to bodies, by operation.
    pub bodies: BTreeMap<String, u64>,
}

impl LoweredShare {
    /// All instructions.
    pub fn instructions(&self) -> u64 {
        self.lowered + self.bodies.values().sum::<u64>()
    }
}

/// A tier that has every block that runs again carried out by its handlers, and counts the instructions that retire. A block that is
/// left early counts those that have. A block's first run, steps next to the horizon and observed runs are not counted.
#[derive(Debug)]
pub struct Counting {
    blocks: Vec<Counted>,
    flushes: u64,
    into: Arc<Mutex<LoweredShare>>,
}

/// The counts of a block.
#[derive(Clone, Debug)]
struct Counted {
    id: usize,
    /// By the number of an instruction in the block its operation if a body carries it out.
    bodies: Arc<[Option<String>]>,
    /// By a number of instructions how often so many have retired.
    retired: Vec<u64>,
}

impl Counting {
    /// Adds its counts to `into` when it is dropped.
    pub fn new(into: Arc<Mutex<LoweredShare>>) -> Self {
        Self { blocks: Vec::new(), flushes: 0, into }
    }

    /// Adds up the counts of all blocks and forgets these.
    fn add_up(&mut self) {
        let mut into = self.into.lock().unwrap_or_else(PoisonError::into_inner);
        for Counted { bodies, retired, .. } in self.blocks.drain(..) {
            let mut left: u64 = retired.iter().sum();
            for (body, only_before) in bodies.iter().zip(&retired) {
                left -= only_before;
                match body {
                    Some(operation) if left > 0 => *into.bodies.entry(operation.clone()).or_default() += left,
                    Some(_) => {}
                    None => into.lowered += left,
                }
            }
        }
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        self.add_up();
    }
}

impl<I: Hooks<P>, P> Tier<I, P> for Counting {
    fn period(&self) -> u32 {
        0
    }

    fn compile(
        &mut self,
        cpu: &I,
        memory: &Memory,
        blocks: &Blocks<I, P>,
        head: usize,
        observer: Option<&mut dyn BlockCatalog>,
    ) -> Decision {
        if observer.is_some() {
            return Decision::Never;
        }
        if self.flushes != blocks.flushes() {
            self.add_up();
            self.flushes = blocks.flushes();
        }
        let block = blocks.get(head);
        let mut bodies = vec![None; block.count as usize];
        let mut lowering = Lowering::default();
        for (step, place) in block.steps.iter().zip(&block.places) {
            lowering.clear();
            if let Some(body) = bodies.get_mut(place.index as usize)
                && let Some(operation) = I::operation(&step.i)
                && cpu.lower(memory, &step.i, place, &mut lowering) == After::Body
            {
                *body = Some(operation);
            }
        }
        self.blocks.push(Counted { id: head, retired: vec![0; bodies.len() + 1], bodies: bodies.into() });
        Decision::Made(Made { members: Vec::new(), entries: vec![(head, self.blocks.len() as u32 - 1)] })
    }

    fn run(
        &mut self,
        entry: u32,
        cpu: &mut I,
        bus: &mut Bus<P>,
        blocks: &Blocks<I, P>,
        _: Option<&mut dyn BlockCatalog>,
    ) -> Ran<I::Exit> {
        let counted = &mut self.blocks[entry as usize];
        let before = cpu.progress().instructions;
        let exit = cpu.execute(bus, blocks.get(counted.id));
        let retired = cpu.progress().instructions - before;
        if let Some(count) = counted.retired.get_mut(retired as usize) {
            *count += 1;
        }
        Ran::Left(Left { last: counted.id, exit, rest: None, then: Then::Stays })
    }

    fn copy(&self) -> Box<dyn Tier<I, P>> {
        let blocks = self.blocks.iter();
        let blocks = blocks.map(|counted| Counted { retired: vec![0; counted.retired.len()], ..counted.clone() });
        Box::new(Self { blocks: blocks.collect(), into: Arc::clone(&self.into), ..*self })
    }
}
