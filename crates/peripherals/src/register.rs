//! Declared registers: every bit is a field or reserved.

/// The access that software has to a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read and written.
    ReadWrite,
    /// Only read; writes change nothing.
    ReadOnly,
    /// Only written; reads give 0.
    WriteOnly,
}

/// A named run of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name, as near as the metadata comes to the manual's.
    pub name: &'static str,
    /// The lowest bit.
    pub low: u8,
    /// The width in bits.
    pub width: u8,
}

impl Field {
    /// The field `name` of `width` bits from bit `low` on.
    pub const fn new(name: &'static str, low: u8, width: u8) -> Self {
        Self { name, low, width }
    }

    /// Its bits, in place.
    pub const fn mask(&self) -> u32 {
        (u32::MAX >> (32 - self.width)) << self.low
    }
}

/// A register of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// The name without the peripheral's.
    pub name: &'static str,
    /// Bytes from the peripheral's base address.
    pub offset: u32,
    /// The width in bits.
    pub bits: u8,
    /// The access that software has.
    pub access: Access,
    /// `true` for another view of the register before it (input capture of a CCMR, a narrower view of CRC_DR).
    pub alternate: bool,
    /// Its fields, by their lowest bit; all other bits are reserved.
    pub fields: &'static [Field],
}

impl Register {
    /// All bits that belong to a field.
    pub fn declared(&self) -> u32 {
        self.fields.iter().fold(0, |bits, field| bits | field.mask())
    }
}

/// A register of 32 bits.
pub(crate) const fn word(name: &'static str, offset: u32, access: Access, fields: &'static [Field]) -> Register {
    Register { name, offset, bits: 32, access, alternate: false, fields }
}

/// Another view of the register of 32 bits before it.
pub(crate) const fn view(name: &'static str, offset: u32, access: Access, fields: &'static [Field]) -> Register {
    Register { alternate: true, ..word(name, offset, access, fields) }
}

/// The registers of one version of an IP block, by offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Map {
    /// The kind of block: `gpio`, `usart`.
    pub kind: &'static str,
    /// Its version: `v2`, `c0`.
    pub version: &'static str,
    /// The registers, by offset.
    pub registers: &'static [Register],
}

impl Map {
    /// The register `name`.
    pub fn register(&self, name: &str) -> Option<&'static Register> {
        self.registers.iter().find(|register| register.name == name)
    }
}
