//! Instructions as text, and where in memory they go: Capstone's for Arm, its text and our decoder's memory for RISC-V, our own
//! for AVR and Xtensa, which it lacks.

mod arm;
mod avr;
mod riscv;
mod text;
mod xtensa;

use capstone::Capstone;
use capstone::arch::{self, BuildsCapstone, BuildsCapstoneExtraMode};
use cyclescope_image::Architecture;

pub(crate) use self::riscv::NAMES as RISCV_NAMES;
pub(crate) use self::text::{Memory, Text};

/// Turns instructions into text.
pub(crate) struct Disassembler {
    /// None for AVR and Xtensa.
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
            Architecture::Avr(_) | Architecture::Xtensa => None,
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
        let Some(capstone) = &self.capstone else {
            return match self.architecture {
                Architecture::Xtensa => xtensa::text(bytes),
                _ => avr::text(bytes, pc),
            };
        };
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
