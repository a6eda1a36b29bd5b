//! The operations that compiled code carries out in a comparison.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use cyclescope_compile::{Compiled, NoteTaker, Notes, Settings};

thread_local! {
    /// The notes of the comparison that this thread makes.
    static NOTES: RefCell<Shared> = RefCell::default();
}

/// The steps of an operation in compiled code, one of which at least must be carried out.
const OFTEN: u64 = 30;

type Shared = Arc<Mutex<Notes>>;

/// The operations that the compiled runs of one comparison have lowered and carried out.
#[derive(Clone, Debug)]
pub struct LoweredOperations(Shared);

impl LoweredOperations {
    /// Begins the notes of a comparison on this thread.
    pub(crate) fn begin() -> Self {
        let notes = Shared::default();
        NOTES.set(Arc::clone(&notes));
        Self(notes)
    }

    /// Writes into the notes.
    #[cfg(test)]
    pub(crate) fn write(&self, write: impl FnOnce(&mut Notes)) {
        write(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn notes(&self) -> Notes {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the number of operations that compiled code has carried out lowered.
    pub fn carried_out(&self) -> usize {
        self.notes().carried_out.len()
    }

    /// Returns the operations that stand often in compiled code, which has never carried them out: it was left before each time.
    /// Those that stand there seldom are of rare forms of instructions, which programs may not come to.
    pub fn missing(&self) -> Vec<String> {
        let Notes { compiled, carried_out, counted, .. } = self.notes();
        let never = compiled.into_iter().filter(|(operation, _)| !carried_out.contains(operation));
        let never = never.filter(|(_, steps)| *steps >= OFTEN).map(|(operation, _)| operation);
        never.chain((counted == 0 && !carried_out.is_empty()).then(|| "counts for an observer".to_owned())).collect()
    }
}

/// Returns the tier of compiled runs, which compiles each block that runs again and takes notes.
pub(crate) fn tier() -> Box<Compiled> {
    let notes = NOTES.with_borrow(Arc::clone);
    Box::new(Compiled::noting(Settings::ALL, NoteTaker::new(notes)))
}
