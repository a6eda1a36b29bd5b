//! Who looks on while a session runs: it runs the machine itself, and so may hand each instruction to a sink.

use cyclescope_machine::{Signal, Stop, Target};
use cyclescope_units::{Address, Cycles};

/// Looks on while a [`Session`](crate::Session) runs.
///
/// At each stop it is told, in the order in which they happened, the machine's signals and the events that are watched,
/// a signal before the event that it is; then where the machine stands.
pub trait Observer<T> {
    /// Runs the machine as [`Target::run`] does.
    fn step(&mut self, target: &mut T, until: Cycles) -> Stop;

    /// The machine signalled.
    fn signal(&mut self, _at: Cycles, _signal: Signal) {}

    /// The event of this index, as [`Session::watch`](crate::Session::watch) gave it, happened.
    fn happened(&mut self, _event: usize, _at: Cycles) {}

    /// All that happened is told: the instruction at `pc` is next, and the stack pointer is as given.
    fn stopped(&mut self, _pc: Address, _stack_pointer: Address) {}

    /// Whether it has seen enough; the run then ends as if its condition held.
    fn is_done(&self) -> bool {
        false
    }
}

/// Observes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl<T: Target> Observer<T> for Unobserved {
    fn step(&mut self, target: &mut T, until: Cycles) -> Stop {
        target.run(until)
    }
}
