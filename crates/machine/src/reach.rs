//! The ties of an instruction to its own place, for moving code.

/// The length of an instruction, and what must keep its distance from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Bytes of the instruction: 2 or 4.
    pub bytes: u32,
    /// True if control may go straight on behind it. Behind a call it does not: what is called comes back by a branch, or never.
    pub goes_on: bool,
    /// An address whose distance its encoding fixes: a branch that reaches only near, or data beside the code. `None` where there is
    /// none, or where a linker gives the instruction any distance.
    pub near: Option<u32>,
    /// True if `near` is a word of data, whose place in its word must stay.
    pub literal: bool,
    /// True if it does nothing, as what fills a gap.
    pub idle: bool,
}
