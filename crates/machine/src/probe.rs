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

    /// The name of the exception `number`.
    fn exception_name(&self, number: u16) -> Option<String>;

    /// The first instruction of the handler of the exception `number`.
    fn handler(&self, number: u16) -> Option<Address>;

    /// The latest branches that may have led to where no code is: the branch and where it went.
    fn ways(&self) -> Vec<(Address, Address)>;
}
