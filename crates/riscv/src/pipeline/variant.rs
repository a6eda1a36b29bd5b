//! The variants: what a core was generated with, and the cycles of its units.

use crate::decode::{Instruction, Op};

/// A core as it was generated.
#[derive(Debug)]
pub struct Variant {
    /// The stages before the decode stage.
    pub fetch: FetchStages,
    /// Lines of 32 bytes of the data cache; 0 without one.
    pub data_lines: usize,
    /// True if results are passed on to the decode stage before they are written.
    pub bypasses: bool,
    /// True if the return address of a jump is one of those in the memory stage too.
    pub passes_links: bool,
    /// True if jumps, and branches backwards, are predicted to be taken.
    pub predicts: bool,
    /// True if the shifter moves a bit a cycle; otherwise it gives its result in the memory stage.
    pub light_shifter: bool,
    /// True if multiplications are those of the iterative unit; otherwise their results come in the last stage.
    pub iterative_multiplier: bool,
    /// True if WFI waits.
    pub waits: bool,
    /// Cycles of a multiplication in the memory stage beyond the first.
    pub multiply: u32,
    /// Cycles of a division in the memory stage beyond the first.
    pub divide: u32,
    /// Cycles in the execute stage, beyond the first that nothing halts, of a write to a configuration and to an address of the PMP.
    pub protect: [u8; 2],
}

impl Variant {
    /// Cycles that the access of `i` to a CSR takes in the execute stage beyond the first.
    pub(crate) const fn writes(&self, i: &Instruction) -> u8 {
        let writes = matches!(i.op, Op::Csrrw | Op::Csrrwi) || i.rs1 != 0;
        let [configuration, address] = self.protect;
        match i.imm >> 4 & 0xFF {
            0x3A if writes => configuration,
            0x3B if writes => address,
            _ => 0,
        }
    }
}

/// The stages before the decode stage, and the instruction cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchStages {
    /// No cache: an instruction is asked for, comes, and waits in a register for the decode stage.
    Uncached,
    /// A cache of so many lines, whose tags are compared in one stage and answer in the next, which is the decode stage.
    Cached(usize),
    /// A cache of so many lines that answers in the stage behind the request; a stage that finds compressed instructions fills the
    /// register before the decode stage.
    Compressed(usize),
}
