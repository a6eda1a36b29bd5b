//! One access to memory or to a register, as a core hands it to the bus.

use crate::units::{Address, Cycles};
use thiserror::Error;

/// The number of bytes that an access moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// 8 bits.
    Byte,
    /// 16 bits.
    Half,
    /// 32 bits.
    Word,
}

impl Width {
    /// The width in bytes: 1, 2 or 4.
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Byte => 1,
            Self::Half => 2,
            Self::Word => 4,
        }
    }

    /// All the bits a value of this width can hold.
    pub const fn mask(self) -> u32 {
        match self {
            Self::Byte => 0xFF,
            Self::Half => 0xFFFF,
            Self::Word => u32::MAX,
        }
    }

    /// Tells whether `address` is a multiple of the width.
    pub const fn aligned(self, address: u32) -> bool {
        address & (self.bytes() - 1) == 0
    }
}

/// The purpose of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// An instruction fetch.
    Fetch,
    /// A data read.
    Read,
    /// A data write.
    Write,
}

/// An access on its way to a device: where, how wide, when and by which instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The byte address.
    pub address: Address,
    /// The number of bytes that move.
    pub width: Width,
    /// The cycle of the data phase, counted from reset.
    pub at: Cycles,
    /// The instruction that causes it, for naming model gaps.
    pub pc: Address,
}

/// The bus answered an access with an error; the core turns it into its architecture's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BusFault {
    /// Nothing answers at this address.
    #[error("no memory or register at {0}")]
    Unmapped(Address),
    /// Memory that cannot be written by a store, such as flash while it is locked.
    #[error("{0} cannot be written")]
    ReadOnly(Address),
    /// A device that refuses accesses of this width or alignment.
    #[error("{0} does not take an access of this width")]
    Width(Address),
}
