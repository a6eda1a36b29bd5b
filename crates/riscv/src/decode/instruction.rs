//! A decoded instruction.

use super::Op;

/// An instruction, decoded once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// The operation.
    pub op: Op,
    /// The register written, 0 to 31. In blocks, [`Self::NOWHERE`] instead of x0.
    pub rd: u8,
    /// The first register read, or the five-bit constant of CSRRWI and its like.
    pub rs1: u8,
    /// The second register read.
    pub rs2: u8,
    /// A constant, a shift amount, an offset, a CSR's number, or an absolute address once resolved.
    pub imm: u32,
}

impl Instruction {
    /// The destination in blocks in the place of x0: a register that no instruction reads.
    pub const NOWHERE: u8 = 32;

    /// `op` without operands.
    pub const fn new(op: Op) -> Self {
        Self { op, rd: 0, rs1: 0, rs2: 0, imm: 0 }
    }

    /// With the register written.
    #[must_use]
    pub const fn rd(self, rd: u32) -> Self {
        Self { rd: (rd & 31) as u8, ..self }
    }

    /// With the first register read.
    #[must_use]
    pub const fn rs1(self, rs1: u32) -> Self {
        Self { rs1: (rs1 & 31) as u8, ..self }
    }

    /// With the second register read.
    #[must_use]
    pub const fn rs2(self, rs2: u32) -> Self {
        Self { rs2: (rs2 & 31) as u8, ..self }
    }

    /// With a constant, offset or address.
    #[must_use]
    pub const fn imm(self, imm: u32) -> Self {
        Self { imm, ..self }
    }

    /// Tells whether it branches under a condition.
    pub const fn is_branch(&self) -> bool {
        matches!(self.op, Op::Beq | Op::Bne | Op::Blt | Op::Bge | Op::Bltu | Op::Bgeu)
    }

    /// Tells whether it loads from memory; LR.W does not count.
    pub const fn is_load(&self) -> bool {
        matches!(self.op, Op::Lb | Op::Lh | Op::Lw | Op::Lbu | Op::Lhu)
    }

    /// Tells whether it stores to memory; SC.W does not count.
    pub const fn is_store(&self) -> bool {
        matches!(self.op, Op::Sb | Op::Sh | Op::Sw)
    }

    /// The bytes that it loads or stores; `None` if it does neither, or is of the A extension.
    pub const fn access_bytes(&self) -> Option<u32> {
        match self.op {
            Op::Lb | Op::Lbu | Op::Sb => Some(1),
            Op::Lh | Op::Lhu | Op::Sh => Some(2),
            Op::Lw | Op::Sw => Some(4),
            _ => None,
        }
    }

    /// Tells whether it is of the A extension.
    pub const fn is_atomic(&self) -> bool {
        Op::LrW as u8 <= self.op as u8 && self.op as u8 <= Op::AmomaxuW as u8
    }

    /// Tells whether it accesses a CSR.
    pub const fn is_csr(&self) -> bool {
        matches!(self.op, Op::Csrrw | Op::Csrrs | Op::Csrrc | Op::Csrrwi | Op::Csrrsi | Op::Csrrci)
    }

    /// Tells whether it divides.
    pub const fn is_division(&self) -> bool {
        matches!(self.op, Op::Div | Op::Divu | Op::Rem | Op::Remu)
    }

    /// Tells whether it multiplies.
    pub const fn is_multiplication(&self) -> bool {
        matches!(self.op, Op::Mul | Op::Mulh | Op::Mulhsu | Op::Mulhu)
    }

    /// Tells whether it ends a block: control may go on elsewhere, or the run loop must look before the next instruction.
    pub const fn ends_block(&self) -> bool {
        self.is_branch()
            || matches!(
                self.op,
                Op::Jal
                    | Op::Jalr
                    | Op::FenceI
                    | Op::Ecall
                    | Op::Ebreak
                    | Op::Mret
                    | Op::Wfi
                    | Op::Retirq
                    | Op::Waitirq
                    | Op::Maskirq
                    | Op::Timer
                    | Op::Illegal
                    | Op::FetchFault
            )
    }
}
