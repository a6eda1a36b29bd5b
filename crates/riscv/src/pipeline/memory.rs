//! The memory behind the buses.

use super::data::Command;
use super::{Request, SharedBus};

/// Tells whether the word at `address` is the last of its line of 32 bytes.
const fn is_last(address: u32) -> bool {
    address & 0x1C == 0x1C
}

/// The memory that answers the two buses of a core.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Memory {
    /// A port each for instructions and data, which acknowledge in the cycle after the one that asks: whether they do in this cycle.
    Ports([bool; 2]),
    /// A bus that both share.
    Shared(SharedBus),
}

impl Memory {
    /// Tells whether the load or store `command` is carried out in this cycle.
    #[inline]
    pub fn carries_out(&self, command: Command) -> bool {
        match self {
            Self::Ports(_) => true,
            Self::Shared(bus) => bus.carries_out(command.address),
        }
    }

    /// Tells whether nothing but requests changes it.
    pub const fn is_timeless(&self) -> bool {
        match self {
            Self::Ports(_) => true,
            Self::Shared(bus) => !bus.has_sdram(),
        }
    }

    /// The first address and the bytes of the slave at `address`; none of them if each bus has a port.
    pub fn slave(&self, address: u32) -> Option<(u32, u32)> {
        match self {
            Self::Ports(_) => Some((0, 0)),
            Self::Shared(bus) => bus.slave(address),
        }
    }

    /// Passes `cycles` in which the buses repeat what they did before.
    pub fn pass(&mut self, cycles: u64) {
        if let Self::Shared(bus) = self {
            bus.pass(cycles);
        }
    }

    /// Tells whether a store to the register at `address` happens when the bus carries it out: it may wait there while the core goes
    /// on, for a time that what comes behind it decides.
    pub fn defers(&self, address: u32) -> bool {
        matches!(self, Self::Shared(bus) if bus.has_slave(address))
    }

    /// Passes a cycle in which the buses ask for a word to execute, of a line of a cache if `lines`, and for a load or store: says which
    /// of them are acknowledged in it.
    #[inline]
    pub fn step(&mut self, fetch: Option<u32>, lines: bool, data: Option<Command>) -> [bool; 2] {
        match self {
            Self::Ports(acknowledge) => {
                let asked = [fetch.is_some(), data.is_some()];
                let now = *acknowledge;
                *acknowledge = std::array::from_fn(|port| asked[port] && !now[port]);
                now
            }
            Self::Shared(bus) => {
                let request = |address, write, line| Request { address, write, continues: line && !is_last(address) };
                let data = data.map(|command| request(command.address, command.write, command.line));
                bus.step(fetch.map(|address| request(address, false, lines)), data)
            }
        }
    }
}
