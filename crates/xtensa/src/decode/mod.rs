//! From bytes to instructions, once.
//!
//! An encoding is a row: mask, value, the manual's name, the option that it comes with, and how its fields become an
//! [`Instruction`]. Decoding is pure; what depends on the place of the instruction is resolved when a block is built.

mod instruction;
mod mac;
mod narrow;
mod op;
mod rows;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

pub use instruction::Instruction;
pub use mac::Operands;
pub use narrow::NARROW;
pub use op::Op;
pub use rows::WIDE;
pub(crate) use rows::constant;

use crate::config::Options;

/// The option that an encoding comes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The manual's names, as fields of `Options`.
pub enum Needs {
    Core,
    Density,
    Loops,
    Windows,
    Mul16,
    Mul32,
    Mul32High,
    Div32,
    Mac16,
    Nsa,
    MinMax,
    Sext,
    Clamps,
    Booleans,
    Float,
    Synchronization,
    ConditionalStore,
    RegionProtection,
    InstructionCache,
    DataCache,
    Debug,
    ExternalRegisters,
}

impl Options {
    /// Tells whether a core with these has what an encoding `needs`.
    pub const fn have(&self, needs: Needs) -> bool {
        match needs {
            Needs::Core => true,
            Needs::Density => self.density,
            Needs::Loops => self.loops,
            Needs::Windows => self.windows,
            Needs::Mul16 => self.mul16,
            Needs::Mul32 => self.mul32,
            Needs::Mul32High => self.mul32_high,
            Needs::Div32 => self.div32,
            Needs::Mac16 => self.mac16,
            Needs::Nsa => self.nsa,
            Needs::MinMax => self.min_max,
            Needs::Sext => self.sext,
            Needs::Clamps => self.clamps,
            Needs::Booleans => self.booleans,
            Needs::Float => self.float,
            Needs::Synchronization => self.synchronization,
            Needs::ConditionalStore => self.conditional_store,
            Needs::RegionProtection => self.region_protection,
            Needs::InstructionCache => self.instruction_cache,
            Needs::DataCache => self.data_cache,
            Needs::Debug => self.debug,
            Needs::ExternalRegisters => self.external_registers,
        }
    }
}

/// One encoding: an instruction matches when its bits `& mask == value`.
#[derive(Clone, Copy)]
pub struct Row {
    /// The bits that the encoding fixes.
    pub mask: u32,
    /// The values of those bits.
    pub value: u32,
    /// The manual's mnemonic.
    pub name: &'static str,
    /// The option that it comes with.
    pub needs: Needs,
    /// Takes the fields out.
    pub build: fn(u32) -> Instruction,
}

/// Tells whether an instruction whose first byte is `first` has two bytes, not three, on a core with density. Without it, such
/// bytes are no instruction of either length.
pub const fn is_narrow(first: u8) -> bool {
    first & 15 >= 8
}

/// The wide rows by the field op0, and among those of QRST by op1 too.
static BY_OPCODE: LazyLock<Box<[Vec<&'static Row>]>> = LazyLock::new(|| {
    (0..256u32)
        .map(|index| {
            // Bits 3 to 0 and 19 to 16.
            let (fixed, bits) = (0x000F_000F, index & 15 | (index >> 4) << 16);
            WIDE.iter().filter(|row| bits & row.mask & fixed == row.value & fixed).collect()
        })
        .collect()
});

/// The encoding of `bits`, of which two bytes count if the first says so and three otherwise; `None` where there is none.
pub fn row(bits: u32) -> Option<&'static Row> {
    if is_narrow(bits as u8) {
        return NARROW.iter().find(|row| bits & row.mask == row.value);
    }
    BY_OPCODE[(bits & 15 | (bits >> 16 & 15) << 4) as usize].iter().copied().find(|row| bits & row.mask == row.value)
}

/// The instruction that `bits` are on a core with `options`.
pub fn decode(bits: u32, options: &Options) -> Instruction {
    match row(bits) {
        Some(row) if options.have(row.needs) => (row.build)(bits),
        _ => Instruction::new(Op::Illegal),
    }
}
