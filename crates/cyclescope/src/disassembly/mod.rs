//! Instructions as text, and where in memory they go: Capstone's for Arm, its text and our decoder's memory for RISC-V, our own
//! for AVR, which it lacks.

mod arm;
mod avr;
mod riscv;

use capstone::Capstone;
use capstone::arch::{self, BuildsCapstone, BuildsCapstoneExtraMode};
use cyclescope_image::Architecture;

pub(crate) use self::riscv::NAMES as RISCV_NAMES;

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

/// Turns instructions into text.
pub(crate) struct Disassembler {
    /// None for AVR.
    capstone: Option<Capstone>,
    architecture: Architecture,
}

impl Disassembler {
    /// For code of `architecture`.
    ///
    /// # Errors
    /// Capstone's own, if it was built without what is asked of it.
    pub(crate) fn new(architecture: Architecture) -> Result<Self, capstone::Error> {
        let capstone = match architecture {
            Architecture::Arm => Some(
                Capstone::new()
                    .arm()
                    .mode(arch::arm::ArchMode::Thumb)
                    .extra_mode([arch::arm::ArchExtraMode::MClass].into_iter())
                    .detail(true)
                    .build()?,
            ),
            Architecture::Avr(_) => None,
            _ => Some(
                Capstone::new()
                    .riscv()
                    .mode(arch::riscv::ArchMode::RiscV32)
                    .extra_mode([arch::riscv::ArchExtraMode::RiscVC].into_iter())
                    .detail(true)
                    .build()?,
            ),
        };
        Ok(Self { capstone, architecture })
    }

    /// The instruction that `bytes`, of the address `pc`, begin with.
    pub(crate) fn text(&self, bytes: &[u8], pc: u32) -> Text {
        let Some(capstone) = &self.capstone else { return avr::text(bytes, pc) };
        let riscv = self.architecture == Architecture::Riscv;
        let other = |text: String| {
            let length = if riscv { riscv::length(bytes) } else { 2 };
            Text { text, length: length.min(bytes.len()), memory: None }
        };
        if let Some(text) = riscv.then(|| riscv::pico(bytes)).flatten() {
            return other(text);
        }
        let found = capstone.disasm_count(bytes, pc.into(), 1).ok();
        let Some(instruction) = found.as_ref().and_then(|found| found.first()) else {
            return other("(unknown)".to_owned());
        };
        let mnemonic = instruction.mnemonic().unwrap_or_default();
        let operands = instruction.op_str().unwrap_or_default();
        let text = if operands.is_empty() { mnemonic.to_owned() } else { format!("{mnemonic:<7} {operands}") };
        let memory = if riscv {
            riscv::memory(bytes)
        } else {
            let detail = capstone.insn_detail(instruction).ok();
            detail.and_then(|detail| arm::memory(mnemonic, &detail, pc, capstone))
        };
        Text { text, length: instruction.len(), memory }
    }
}
