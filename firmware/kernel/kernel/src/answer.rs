//! What goes back to the process.

use core::fmt;

/// A call's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Done; what the value means is the driver's.
    Done(u32),
    /// Not done.
    Refused(Refusal),
}

/// Why a call was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such call.
    UnknownCall = 1,
    /// There is no driver of that number.
    NoDriver = 2,
    /// The driver does not know the number that came with the call.
    UnknownNumber = 3,
    /// The buffer does not lie in the process's memory.
    BadBuffer = 4,
    /// The process waits, and nothing will ever come.
    NothingPending = 5,
    /// The driver wants a buffer or a callback first.
    NotReady = 6,
    /// The board does not let the process make this call.
    NotPermitted = 7,
}

impl Answer {
    /// The words for the process's first two registers: 0 or the refusal's number, and the value.
    pub fn words(self) -> [u32; 2] {
        match self {
            Self::Done(value) => [0, value],
            Self::Refused(refusal) => [refusal as u32, 0],
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done(value) => write!(f, "done, value {value:#x}"),
            Self::Refused(refusal) => write!(f, "refused: {refusal}"),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownCall => "there is no such call",
            Self::NoDriver => "there is no driver of that number",
            Self::UnknownNumber => "the driver does not know that number",
            Self::BadBuffer => "the buffer does not lie in the process's memory",
            Self::NothingPending => "nothing is pending that the process could wait for",
            Self::NotReady => "the driver has no buffer or no callback yet",
            Self::NotPermitted => "the board does not permit it",
        })
    }
}
