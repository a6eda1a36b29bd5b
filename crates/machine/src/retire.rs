//! Instructions as they retire, for an observer that wants each of them.

use crate::units::{Address, Cycles};

use crate::{BlockCatalog, Run};

/// One instruction that retired, as a [`Sink`] sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retire {
    /// The instruction.
    pub pc: Address,
    /// The cycle at which it began.
    pub at: Cycles,
    /// Its cycles, stalls included. Interrupt or exception entry and return stand between instructions.
    pub cycles: Cycles,
}

/// The state that a retired instruction leaves behind. Borrowed from the core: looking costs what is looked at.
#[derive(Clone, Copy, Debug)]
pub struct State<'a> {
    /// The address at which the core goes on, exceptions that are yet to be taken aside. Of no meaning after an exception's return on a
    /// Cortex-M, which is under way then.
    pub next: Address,
    /// The stack pointer in use.
    pub stack_pointer: Address,
    /// The registers.
    pub registers: Registers<'a>,
}

/// A core's registers, by number, in the form in which its architecture has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registers<'a> {
    /// 32 words, such as x0 to x31 of RISC-V.
    Words(&'a [u32; 32]),
    /// 16 words, and 32 numbers of single precision, which are 0 on a part without them: r0 to r15 and s0 to s31 of a Cortex-M.
    WordsAndSingles(&'a [u32; 16], &'a [u32; 32]),
    /// 16 words, and 16 numbers of single precision, which are 0 on a part without them: a0 to a15 and f0 to f15 of Xtensa.
    WordsAndFloats(&'a [u32; 16], &'a [u32; 16]),
    /// 32 bytes, such as r0 to r31 of an AVR.
    Bytes(&'a [u8; 32]),
}

/// Takes retired instructions, in order. A core has its run loop once for each kind: for [`Silent`], for a sink that
/// observes each instruction, and for one that is content with whole blocks.
pub trait Sink {
    /// Tells that it wants any: a silent sink lets whole blocks run.
    const OBSERVES: bool;
    /// Tells that a core may report whole blocks to it by [`Sink::ran`], once [`Sink::catalog`] lists their instructions. It may
    /// tell of any instruction by [`Sink::retire`] all the same.
    const BLOCKS: bool = false;
    /// One instruction retired.
    fn retire(&mut self, retire: Retire);
    /// The first instructions of a block retired.
    fn ran(&mut self, _: Run) {}
    /// Takes the state that the last retired instruction has left behind, when all that belongs to it is done.
    fn state(&mut self, _: State<'_>) {}
    /// The core `core`, of a part with several, goes on.
    fn turn_to(&mut self, core: u8) {
        let _ = core;
    }
    /// The catalog of a sink that takes blocks. [`Joined`](crate::Joined) runs are told to the catalog alone.
    fn catalog(&mut self) -> Option<&mut dyn BlockCatalog> {
        None
    }
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
