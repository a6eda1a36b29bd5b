//! Notes of the operations that compiled code has carried out, for tests.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use cyclescope_engine::{After, Blocks, Hooks};

use crate::region::Lowered;

/// The operations that were lowered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// Those that are in compiled regions, with the number of their steps there.
    pub compiled: BTreeMap<String, u64>,
    /// Those that a region has carried out without giving up.
    pub carried_out: BTreeSet<String>,
    /// The times that a region was entered.
    pub entered: u64,
    /// The times that one was entered that counts for an observer.
    pub counted: u64,
    /// The instructions that regions have carried out, with those of bodies that they call.
    pub instructions: u64,
}

/// Takes notes.
#[derive(Clone, Debug)]
pub struct NoteTaker(Arc<Mutex<Notes>>);

impl NoteTaker {
    /// One that writes into `notes`.
    pub fn new(notes: Arc<Mutex<Notes>>) -> Self {
        Self(notes)
    }

    /// Has the steps of a region noted, of which `blocks` has the blocks; their operations by their numbers.
    pub(crate) fn prepare<I: Hooks<P>, P>(&self, lowered: &mut Lowered, blocks: &Blocks<I, P>) -> Vec<String> {
        let mut operations = Vec::new();
        for (id, member) in lowered.ids.iter().zip(&mut lowered.standings.members) {
            for (step, source) in member.steps.iter_mut().zip(&blocks.get(*id).steps) {
                if let Some(operation) = I::operation(&source.i).filter(|_| step.after != After::Body) {
                    step.noted = Some(operations.len());
                    operations.push(operation);
                }
            }
        }
        self.with(|notes| {
            for operation in &operations {
                *notes.compiled.entry(operation.clone()).or_default() += 1;
            }
        });
        operations
    }

    /// Takes note of the operations whose places among `marks` are set, and clears these; and of a region that `is_counted`, which has
    /// carried out so many `instructions`.
    pub(crate) fn take(&self, noted: &[(usize, String)], marks: &mut [u32], is_counted: bool, instructions: u64) {
        let ran: Vec<_> = noted.iter().filter(|(place, _)| std::mem::take(&mut marks[*place]) != 0).collect();
        self.with(|notes| {
            notes.entered += 1;
            notes.counted += u64::from(is_counted);
            notes.instructions += instructions;
            for (_, operation) in ran {
                if !notes.carried_out.contains(operation) {
                    notes.carried_out.insert(operation.clone());
                }
            }
        });
    }

    fn with(&self, write: impl FnOnce(&mut Notes)) {
        write(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
