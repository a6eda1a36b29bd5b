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
    /// Tells whether a load or store that asks in this cycle is heard.
    #[inline]
    pub const fn hears_data(&self) -> bool {
        match self {
            Self::Ports(_) => true,
            Self::Shared(bus) => bus.grants_data(),
        }
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
