//! The text of an instruction, and the memory that it goes to.

/// Memory that an instruction goes to, by the registers before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    /// The number of the register that holds the address; none: the address is `offset`.
    pub(crate) base: Option<u8>,
    /// Another register and how far it is shifted left.
    pub(crate) index: Option<(u8, u8)>,
    /// The offset that is added.
    pub(crate) offset: i32,
    /// The number of bytes.
    pub(crate) bytes: u32,
    /// True if the bytes are written.
    pub(crate) writes: bool,
}

impl Memory {
    /// The address, with the registers before the instruction.
    pub(crate) fn address(&self, register: impl Fn(u8) -> u32) -> u32 {
        let index = self.index.map_or(0, |(index, shift)| register(index) << shift);
        self.base.map_or(0, &register).wrapping_add(index).wrapping_add_signed(self.offset)
    }
}

/// An instruction as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    /// Mnemonic and operands.
    pub(crate) text: String,
    /// Its length in bytes.
    pub(crate) length: usize,
    /// The memory that it goes to, if any, by the registers before it.
    pub(crate) memory: Option<Memory>,
}
