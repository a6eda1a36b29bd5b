//! The data that an instruction reads or writes, for a debugger that watches addresses.

use crate::units::Address;

/// The bytes of memory or registers that the instruction about to execute reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The lowest address.
    pub from: Address,
    /// The number of bytes from there up; at least 1.
    pub bytes: u32,
    /// True if the instruction reads them.
    pub reads: bool,
    /// True if the instruction writes them.
    pub writes: bool,
    /// The one bit that the instruction tests or changes, if it is one for bits.
    pub bit: Option<u8>,
}

impl Touch {
    /// A load of `bytes` bytes from `address` up.
    pub const fn read(address: u32, bytes: u32) -> Self {
        Self { from: Address::new(address), bytes, reads: true, writes: false, bit: None }
    }

    /// A store of `bytes` bytes from `address` up.
    pub const fn write(address: u32, bytes: u32) -> Self {
        Self { from: Address::new(address), bytes, reads: false, writes: true, bit: None }
    }

    /// Both, one after the other.
    pub const fn both(address: u32, bytes: u32) -> Self {
        Self { from: Address::new(address), bytes, reads: true, writes: true, bit: None }
    }

    /// The same by an instruction for the bit `bit`.
    pub const fn of_bit(self, bit: u8) -> Self {
        Self { bit: Some(bit), ..self }
    }

    /// Tells whether any of the `bytes` bytes from `address` up is among them.
    pub fn overlaps(self, address: Address, bytes: u32) -> bool {
        let (mine, other) = (u64::from(self.from.get()), u64::from(address.get()));
        mine < other + u64::from(bytes) && other < mine + u64::from(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_share_a_byte_overlap() {
        let touch = Touch::read(100, 4);
        for (address, bytes, expect) in [(96, 4, false), (97, 4, true), (103, 1, true), (104, 4, false), (0, 200, true)]
        {
            assert_eq!(touch.overlaps(Address::new(address), bytes), expect, "{address} {bytes}");
        }
        assert!(Touch::write(u32::MAX, 1).overlaps(Address::new(u32::MAX), 4));
    }
}
