//! The reasons why a run ended.

use crate::units::{Address, Bytes, Cycles};

/// A fault: the instruction, its cause and its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultReport {
    /// The instruction that could not be completed.
    pub pc: Address,
    /// The cause, in the architecture's terms.
    pub cause: &'static str,
    /// The address of the access that failed, if an access failed.
    pub address: Option<Address>,
}

/// The first push of a stack onto the variables below it, and the depth of the deepest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackOverrun {
    /// The instruction that pushed, or the one before which an interrupt pushed.
    pub pc: Address,
    /// The cycle of the push.
    pub at: Cycles,
    /// The distance from the variables' end down to the deepest push.
    pub below: Bytes,
}

/// The reason why [`run`](crate::Bus) returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The requested cycle was reached.
    Horizon,
    /// The instruction at this watched address is about to execute.
    Watch(Address),
    /// A signal that an observer wants at once was recorded, and the core stands at the boundary right after it; or so many were
    /// collected that they are to be taken.
    Signal,
    /// The guest asked the host to end the run, with this exit code.
    Exit(i32),
    /// An instruction faulted, and the run was asked to stop at faults instead of running the guest's handler.
    Fault(FaultReport),
    /// The core locked up: the architecture leaves it no way on after this fault.
    Lockup(FaultReport),
    /// The core sleeps, and nothing is scheduled that could wake it.
    Deadlock(Address),
    /// A breakpoint instruction that no debugger serves, with its immediate.
    Breakpoint(Address, u8),
    /// The part was reset, by software or a watchdog; the cause in words.
    Reset(&'static str),
    /// The guest wrote more than its output budget.
    OutputBudget,
}

/// A register that the guest polls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The instruction that reads it.
    pub pc: Address,
    /// The name as the part's manual prints it, with the fields behind a dot whose bits decide, if they are known; or the address.
    pub register: String,
}

/// A loop of the guest that changes nothing, with nothing scheduled that could end it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spin {
    /// It computes and reads memory.
    Idle,
    /// It also reads registers, which only the outside could change.
    Waiting,
    /// It also reads registers that the model lacks.
    Polling,
}
