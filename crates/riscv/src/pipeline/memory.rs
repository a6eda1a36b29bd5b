//! The memory behind the buses.

use super::SharedBus;
use super::data::Command;

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

    /// Tells whether a store to the register at `address` happens when the bus carries it out: it may wait there while the core goes
    /// on, for a time that what comes behind it decides.
    pub fn defers(&self, address: u32) -> bool {
        matches!(self, Self::Shared(bus) if bus.has_slave(address))
    }

    /// Passes a cycle in which the buses ask for a word to execute and for a load or store: says which of them are acknowledged in it.
    #[inline]
    pub fn step(&mut self, fetch: Option<u32>, data: Option<Command>) -> [bool; 2] {
        match self {
            Self::Ports(acknowledge) => {
                let asked = [fetch.is_some(), data.is_some()];
                let now = *acknowledge;
                *acknowledge = std::array::from_fn(|port| asked[port] && !now[port]);
                now
            }
            Self::Shared(bus) => bus.step(fetch, data.map(|command| (command.address, command.write))),
        }
    }
}
