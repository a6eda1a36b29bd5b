//! From bytes to instructions, once.
//!
//! An encoding is a row: mask, value, the manual's name, and how its fields become an [`Instruction`]. Decoding is pure;
//! what depends on the place of the instruction (branch targets, CSRs that the core has) is resolved when a block is built.

mod compressed;
mod instruction;
mod op;
mod rows;

use std::sync::LazyLock;

pub use compressed::{NARROW, RESERVED};
pub use instruction::Instruction;
pub use op::Op;
pub use rows::WIDE;

/// The extension of an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The manual's names.
pub enum Extension {
    I,
    M,
    /// Atomic instructions but LR.W and SC.W.
    Zaamo,
    /// LR.W and SC.W.
    Zalrsc,
    C,
    Zicsr,
    Zifencei,
    /// MRET and WFI: the privileged architecture.
    Machine,
    /// PicoRV32's instructions for interrupts.
    PicoIrq,
    /// VexRiscv's instruction for its data cache.
    DataCache,
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
    /// Its extension.
    pub extension: Extension,
    /// Takes the fields out.
    pub build: fn(u32) -> Instruction,
}

/// The extensions that a core has beside I.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extensions {
    /// Multiplication and division.
    pub m: bool,
    /// Atomic instructions.
    pub a: bool,
    /// Of those, LR.W and SC.W, also without the others.
    pub zalrsc: bool,
    /// Compressed instructions.
    pub c: bool,
    /// CSR instructions.
    pub zicsr: bool,
    /// FENCE.I.
    pub zifencei: bool,
    /// MRET and WFI.
    pub machine: bool,
    /// PicoRV32's instructions for interrupts.
    pub pico_irq: bool,
    /// VexRiscv's instruction for its data cache.
    pub data_cache: bool,
}

impl Extensions {
    /// RV32IMAC with Zicsr and Zifencei.
    pub const IMAC: Self = Self {
        m: true,
        a: true,
        zalrsc: true,
        c: true,
        zicsr: true,
        zifencei: true,
        machine: true,
        pico_irq: false,
        data_cache: false,
    };
    /// RV32IMC with Zicsr and Zifencei.
    pub const IMC: Self = Self { a: false, zalrsc: false, ..Self::IMAC };
    /// RV32IMC as PicoRV32 has it: CSRs are the unprivileged counters, and there are instructions of its own.
    pub const PICORV32: Self = Self { zifencei: false, machine: false, pico_irq: true, ..Self::IMC };

    /// Tells whether a core with these has `extension`.
    pub const fn have(self, extension: Extension) -> bool {
        match extension {
            Extension::I => true,
            Extension::M => self.m,
            Extension::Zaamo => self.a,
            Extension::Zalrsc => self.zalrsc,
            Extension::C => self.c,
            Extension::Zicsr => self.zicsr,
            Extension::Zifencei => self.zifencei,
            Extension::Machine => self.machine,
            Extension::PicoIrq => self.pico_irq,
            Extension::DataCache => self.data_cache,
        }
    }
}

/// For each 16-bit instruction the number of its row plus one; 0 where there is none.
static BY_HALF: LazyLock<Box<[u8]>> = LazyLock::new(|| {
    let find = |half: u16| NARROW.iter().position(|row| u32::from(half) & row.mask == row.value);
    (0..=u16::MAX).map(|half| find(half).map_or(0, |index| index as u8 + 1)).collect()
});

/// For each major opcode the rows that may match.
static BY_MAJOR: LazyLock<Box<[Vec<&'static Row>]>> =
    LazyLock::new(|| (0..128).map(|major| WIDE.iter().filter(|row| row.value & 0x7F == major).collect()).collect());

/// Tells whether an instruction that begins with `half` has 32 bits.
pub const fn is_wide(half: u16) -> bool {
    half & 3 == 3
}

/// The encoding of `bits`, of which the upper half counts if the instruction has it; `None` where it is reserved or not of
/// RV32IMAC.
pub fn row(bits: u32) -> Option<&'static Row> {
    if is_wide(bits as u16) {
        BY_MAJOR[(bits & 0x7F) as usize].iter().copied().find(|row| bits & row.mask == row.value)
    } else {
        let index = usize::from(BY_HALF[(bits & 0xFFFF) as usize]).wrapping_sub(1);
        NARROW.get(index).filter(|row| row.name != RESERVED)
    }
}

/// The instruction that `bits` are on a core with `extensions`.
pub fn decode(bits: u32, extensions: Extensions) -> Instruction {
    let bits = if is_wide(bits as u16) { bits } else { bits & 0xFFFF };
    match row(bits) {
        Some(row) if extensions.have(row.extension) => (row.build)(bits),
        _ => Instruction::new(Op::Illegal).imm(bits),
    }
}

#[cfg(test)]
mod tests;
