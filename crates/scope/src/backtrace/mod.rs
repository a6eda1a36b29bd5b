//! The calls that led to where a machine stands: by call-frame information through calls and exceptions, and by a search of
//! the stack where there is none.
//!
//! Everything that is read is untrusted: the walk ends after [`MOST_LEVELS`] levels, and where the stack pointer stands still
//! or goes back.

mod avr;
mod cortex_m;
mod guess;
mod registers;
mod riscv;
mod walk;
mod xtensa;

use cyclescope_image::{Frame, Image};
use cyclescope_machine::Probe;
use cyclescope_machine::units::Address;

pub(crate) use self::registers::Registers;
pub(crate) use self::walk::{stray, walk};

/// The most levels of a backtrace.
pub const MOST_LEVELS: usize = 100;

/// One level of a backtrace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Level {
    /// A function.
    Call(Call),
    /// An exception, whose handler is the level before and which interrupted the level after it.
    Exception {
        /// Its number.
        number: u16,
        /// Its name, if the part names it.
        name: Option<String>,
    },
}

/// A function that was left for the level before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The instruction that is next in the function.
    pub pc: Address,
    /// The function and those inlined into it there, the innermost first; empty if nothing is known of the address.
    pub frames: Vec<Frame>,
    /// The level was found by a search of the stack: it may be left from an earlier call.
    pub guessed: bool,
}

/// The reason why a backtrace ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The last level has no caller.
    Outermost,
    /// Nothing describes the last level's frame, and the stack holds no return address.
    NoInformation,
    /// The stack's words contradict each other: they are damaged, or the information is.
    Damaged,
    /// A trap of a RISC-V has overwritten the address that the last level's handler returns to, and nothing tells where that
    /// is kept.
    TrapOverwritten,
    /// There are more levels than are followed.
    TooDeep,
}

/// The calls that led to where a machine stands, the innermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backtrace {
    /// The core, of a part with several.
    pub core: Option<usize>,
    /// The levels. There is at least one.
    pub levels: Vec<Level>,
    /// The reason why there are no more.
    pub end: End,
    /// The image has call-frame information.
    pub informed: bool,
}

impl Backtrace {
    /// Returns the backtrace of the machine behind `probe`, which runs `image`.
    pub fn of(probe: &dyn Probe, image: &Image) -> Self {
        walk::walk(probe, image).0
    }

    /// The functions, without the exceptions between them.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.levels.iter().filter_map(|level| match level {
            Level::Call(call) => Some(call),
            Level::Exception { .. } => None,
        })
    }
}
