//! One sequence of a board's kit, and what it tests.

use std::collections::BTreeSet;

use crate::table::{Memory, Run, Span};

/// The target of a sequence's test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A row of a table of docs/timing.md.
    Row {
        /// The table's name.
        table: String,
        /// The row's name.
        row: &'static str,
    },
    /// A rule stated in the text of docs/timing.md.
    Rule(String),
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Row { row, .. } => f.write_str(row),
            Self::Rule(rule) => f.write_str(rule),
        }
    }
}

/// One sequence as one board runs it.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// Its name, unique on its board.
    pub name: String,
    /// The row or rule that it tests.
    pub subject: Subject,
    /// The timed code.
    pub code: String,
    /// Code that runs before it, untimed.
    pub setup: String,
    /// Code and data that follow it.
    pub behind: String,
    /// The offset of the timed code from a word boundary, in bytes.
    pub at: u32,
    /// The memory that it runs in.
    pub run: Run,
    /// The setup of the flash.
    pub memory: Memory,
    /// The start and end of its time.
    pub span: Span,
    /// The expected sum as written, or `by the rules of flash`; empty if the sum is unknown.
    pub sum: String,
    /// The value of the sum in cycles. Without one, answers are kept but neither confirm nor contradict anything.
    pub expected: Option<u64>,
    /// The rows in the sum and in the subject.
    pub rows: BTreeSet<&'static str>,
}

/// Returns the FNV-1a hash, 32 bits. It distinguishes texts and need not resist attacks.
pub(crate) fn digest(text: &str) -> String {
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{hash:08x}")
}

impl Sequence {
    /// Returns a hash of all code of the sequence that a board runs. It identifies answers to other code under the same
    /// name.
    pub fn fingerprint(&self) -> String {
        let Self { setup, code, behind, at, run, memory, span, .. } = self;
        digest(&format!("{setup}\n{code}\n{behind}\n{at} {run:?} {memory:?} {span:?}"))
    }

    /// Returns a sequence without timed code.
    pub(crate) fn empty(run: Run) -> Self {
        Self {
            name: "empty".to_owned(),
            subject: Subject::Rule(String::new()),
            code: String::new(),
            setup: String::new(),
            behind: String::new(),
            at: 0,
            run,
            memory: Memory::default(),
            span: Span::Code,
            sum: String::new(),
            expected: None,
            rows: BTreeSet::new(),
        }
    }
}
