//! What the generic kernel must know of a chip.

use core::fmt;

use crate::call::RawCall;
use crate::debug::Hook;
use crate::protection::Region;
use crate::upcall::Upcall;

/// A chip, its process's registers among it.
pub trait Chip {
    /// The process's registers while it does not run, as the trap vector keeps them.
    type State: Copy + fmt::Display;
    /// The debug hook of this build.
    type Hook: Hook<Self::State>;

    /// Lets the process touch these regions and no others, as far as the chip can.
    fn protect(&self, regions: &[Region]);

    /// Why the process stopped. For a call the state is moved on, so that the process goes on behind it.
    fn cause(state: &mut Self::State) -> Cause;

    /// Puts an answer into the process's registers.
    fn answer(state: &mut Self::State, words: [u32; 2]);

    /// Makes the process run the callback next and then go on where it stands.
    fn upcall(state: &mut Self::State, upcall: &Upcall);

    /// Takes what the process says at its end, and ends the program.
    fn end(&self, words: [u32; 4]) -> !;
}

/// Why a process stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It asks for something.
    Call(RawCall),
    /// It did what it may not.
    Fault(Fault),
}

/// What a process did that it may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The chip's own number for it.
    pub cause: u32,
    /// The address that it was about, where the chip tells one.
    pub address: u32,
}
