//! Observers of a session. An observer runs the machine itself, so it can pass a sink for each instruction.

use cyclescope_chips::Machine;
use cyclescope_machine::units::{Address, Cycles, Picoseconds};
use cyclescope_machine::{Signal, Stop};

/// Observes a run of a [`Session`](crate::Session).
///
/// At each stop it receives the machine's signals and the watched events in the order in which they happened, a signal
/// before its event, and then the machine's position.
pub trait Observer {
    /// Runs the machine as [`Machine::run`] does.
    fn step(&mut self, machine: &mut Machine, until: Cycles) -> Stop;

    /// Receives a signal of the machine, with the core whose turn it was ([`Signals::cores`](cyclescope_machine::Signals::cores)).
    fn signal(&mut self, _at: Cycles, _core: u8, _signal: Signal) {}

    /// Receives the event of this index with its cycle and its time after reset, as [`Session::watch`](crate::Session::watch) returned it.
    fn happened(&mut self, _event: usize, _at: Cycles, _time: Picoseconds) {}

    /// Receives the position of each core after all signals and events: the next instruction's address and the stack
    /// pointer.
    fn stopped(&mut self, _core: u8, _pc: Address, _stack_pointer: Address) {}

    /// Tells if the observer wants no more; the run then ends as if its condition held.
    fn is_done(&self) -> bool {
        false
    }
}

/// Observes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn step(&mut self, machine: &mut Machine, until: Cycles) -> Stop {
        machine.run(until)
    }
}
