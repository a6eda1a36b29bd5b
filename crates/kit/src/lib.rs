//! The kit: short sequences of instructions that a board times with its core's own counter, each for one row of the
//! timing tables or one rule of docs/timing.md.
//!
//! `experiments/kit` has the sequences as data, with the expected cycles as a sum of rows. This crate never runs the
//! simulator. [`Kit`] has the sequences of one board, [`Kit::assembly`] its program, [`Log`] the program's output, and
//! [`boards`] the answers of boards so far.
#![forbid(unsafe_code)]

mod assembly;
pub mod boards;
mod expression;
mod kit;
mod log;
mod sequence;
mod stepped;
mod table;
mod verdict;

pub use expression::{ExpressionError, evaluate};
pub use kit::{BOARDS, BoardKit, Kit, KitError};
pub use log::{Log, LogError};
pub use sequence::{Sequence, Subject};
pub use table::{Memory, Run, Span};
pub use verdict::{AnswerError, Line, Verdict, verdicts};
