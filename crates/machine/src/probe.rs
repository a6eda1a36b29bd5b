//! The contract between a machine that stands still and a debugger.

use crate::units::Address;

/// A machine that stands still, as a debug probe sees it: looking takes no time and changes nothing.
pub trait Probe {
    /// The core whose registers are shown; `None` for a machine with one.
    fn core(&self) -> Option<usize> {
        None
    }

    /// The value of the register called `name`, by a debugger's name.
    fn register(&self, name: &str) -> Option<u32>;

    /// Copies memory from `address` up into `bytes`. Returns the number of bytes before the first that is no memory. An AVR's
    /// data space begins at 0x80_0000.
    fn peek(&self, address: Address, bytes: &mut [u8]) -> usize;

    /// The exceptions whose handlers run, as far as the core itself knows them, the innermost first.
    fn active_exceptions(&self) -> Vec<u16>;

    /// The register windows of a core that has any; `None` for others.
    fn windows(&self) -> Option<RegisterWindows> {
        None
    }

    /// The name of the exception `number`.
    fn exception_name(&self, number: u16) -> Option<String>;

    /// The first instruction of the handler of the exception `number`.
    fn handler(&self, number: u16) -> Option<Address>;

    /// The latest branches that may have led to where no code is: the branch and where it went.
    fn ways(&self) -> Vec<(Address, Address)>;
}

/// A register file of which a window moves by four registers at a time: calls turn it on, returns back (Xtensa).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterWindows {
    /// The whole file, a power of two of registers.
    pub file: Vec<u32>,
    /// The place of the current window in the file, in fours of registers (WINDOWBASE).
    pub base: u8,
    /// A bit for each place at which a window begins that is in the file (WINDOWSTART).
    pub started: u32,
    /// The fours of registers by which the latest call turns the window once its function begins (PS.CALLINC).
    pub increment: u8,
    /// The window and the program counter before the window exception whose handler runs.
    pub before: Option<(u8, u32)>,
}
