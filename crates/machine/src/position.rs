//! Positions of cores, frames of calls, and machines that take the state of others.

use crate::units::{Address, Cycles, Instructions};

/// The return address and stack pointer of a function that was just entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallFrame {
    /// The address it returns to.
    pub return_address: Address,
    /// The stack pointer after the function has returned.
    pub stack_pointer: Address,
}

/// The position of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The instruction about to execute.
    pub pc: Address,
    /// The stack pointer.
    pub stack_pointer: Address,
    /// The cycles since reset up to which the core has come.
    pub now: Cycles,
    /// The instructions that it has retired since reset.
    pub instructions: Instructions,
}

/// A machine that can become another one of its kind again and again, for less than a clone costs.
pub trait Restore: Clone {
    /// Takes the state of `from`, a machine of the same part that runs the same image, as a clone would: it goes on with
    /// the same cycles, the same signals and the same output. What is this machine's own stays: the addresses it watches,
    /// and what it has prepared to run faster.
    fn restore(&mut self, from: &Self);
}
