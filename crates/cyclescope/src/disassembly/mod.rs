//! Instructions as text, and where in memory they go: Capstone's for Arm and RISC-V, our own for AVR, which it lacks.

mod arm;
mod avr;

use capstone::Capstone;
use capstone::arch::{self, BuildsCapstone, BuildsCapstoneExtraMode};
use cyclescope_image::Architecture;

pub(crate) use self::arm::{Memory, RISCV_NAMES};

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
        let unknown =
            |length: usize| Text { text: "(unknown)".to_owned(), length: length.min(bytes.len()), memory: None };
        let Some(capstone) = &self.capstone else { return avr::text(bytes, pc) };
        let Ok(found) = capstone.disasm_count(bytes, pc.into(), 1) else { return unknown(2) };
        let Some(instruction) = found.first() else { return unknown(2) };
        let mnemonic = instruction.mnemonic().unwrap_or_default();
        let operands = instruction.op_str().unwrap_or_default();
        let text = if operands.is_empty() { mnemonic.to_owned() } else { format!("{mnemonic:<7} {operands}") };
        let detail = capstone.insn_detail(instruction).ok();
        let memory = detail.and_then(|detail| arm::memory(self.architecture, mnemonic, &detail, pc, capstone));
        Text { text, length: instruction.len(), memory }
    }
}
