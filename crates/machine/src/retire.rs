//! Instructions as they retire, for an observer that wants each of them.

use cyclescope_units::{Address, Cycles};

/// One instruction that retired, as a [`Sink`] sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retire {
    /// The instruction.
    pub pc: Address,
    /// When it began.
    pub at: Cycles,
    /// How long it took, stalls included. Interrupt or exception entry and return stand between instructions.
    pub cycles: Cycles,
}

/// Takes retired instructions, in order. A core has its run loop twice: for a sink that observes, and for [`Silent`].
pub trait Sink {
    /// Whether it wants any: a silent sink lets whole blocks run.
    const OBSERVES: bool;
    /// One instruction retired.
    fn retire(&mut self, retire: Retire);
}

/// Wants nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Sink for Silent {
    const OBSERVES: bool = false;
    fn retire(&mut self, _: Retire) {}
}

impl<F: FnMut(Retire)> Sink for F {
    const OBSERVES: bool = true;
    fn retire(&mut self, retire: Retire) {
        self(retire);
    }
}
