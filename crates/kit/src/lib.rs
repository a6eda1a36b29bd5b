//! The kit: short sequences of instructions that a board times by itself with its core's own counter, each for one row of
//! the timing tables or one rule of docs/timing.md.
//!
//! `experiments/kit` has them as data, with the cycles expected of each as a sum over rows; nothing here asks the simulator
//! what it would take. [`Kit`] is what one board runs, [`Kit::assembly`] its program's text, [`Log`] what it printed, and
//! [`boards`] what boards have said so far.
#![forbid(unsafe_code)]

mod assembly;
pub mod boards;
mod expression;
mod kit;
mod log;
mod stepped;
mod table;
mod verdict;

pub use expression::{ExpressionError, evaluate};
pub use kit::{BOARDS, BoardKit, Kit, KitError, Sequence, Subject};
pub use log::{Log, LogError};
pub use table::{Memory, Run, Span};
pub use verdict::{AnswerError, Line, Verdict, verdicts};
