//! A decoded instruction.

use super::Op;

/// An instruction, decoded once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// The operation.
    pub op: Op,
    /// The manual's field r: mostly the register written.
    pub r: u8,
    /// The manual's field s: mostly the first register read.
    pub s: u8,
    /// The manual's field t: mostly the second register read; of loads, the register written.
    pub t: u8,
    /// A constant, a shift amount, an offset, a special register's number, or an absolute address once resolved.
    pub imm: u32,
}

impl Instruction {
    /// `op` without operands.
    pub const fn new(op: Op) -> Self {
        Self { op, r: 0, s: 0, t: 0, imm: 0 }
    }

    /// `op` with the fields r, s and t of `word`.
    pub const fn of(op: Op, word: u32) -> Self {
        Self { op, r: (word >> 12 & 15) as u8, s: (word >> 8 & 15) as u8, t: (word >> 4 & 15) as u8, imm: 0 }
    }

    /// With field r.
    #[must_use]
    pub const fn r(self, r: u8) -> Self {
        Self { r, ..self }
    }

    /// With field s.
    #[must_use]
    pub const fn s(self, s: u8) -> Self {
        Self { s, ..self }
    }

    /// With field t.
    #[must_use]
    pub const fn t(self, t: u8) -> Self {
        Self { t, ..self }
    }

    /// With a constant, offset or address.
    #[must_use]
    pub const fn imm(self, imm: u32) -> Self {
        Self { imm, ..self }
    }

    const fn is_between(&self, first: Op, last: Op) -> bool {
        first as u8 <= self.op as u8 && self.op as u8 <= last as u8
    }

    /// Tells whether it branches under a condition; the loop instructions do not count.
    pub const fn is_branch(&self) -> bool {
        self.is_between(Op::Beqz, Op::Bt)
    }

    /// Tells whether it only computes on general registers and SAR.
    pub const fn computes(&self) -> bool {
        self.is_between(Op::Add, Op::Nop)
    }

    /// Tells whether it loads a general register.
    pub const fn is_load(&self) -> bool {
        self.is_between(Op::L8ui, Op::L32e)
    }

    /// Tells whether it stores a general register; S32C1I does not count.
    pub const fn is_store(&self) -> bool {
        self.is_between(Op::S8i, Op::S32e)
    }

    /// Tells whether it calls a function.
    pub const fn is_call(&self) -> bool {
        self.is_between(Op::Call0, Op::Callx12)
    }

    /// The registers by which a call rotates the window, divided by 4.
    pub const fn call_increment(&self) -> u8 {
        match self.op {
            Op::Call4 | Op::Callx4 => 1,
            Op::Call8 | Op::Callx8 => 2,
            Op::Call12 | Op::Callx12 => 3,
            _ => 0,
        }
    }

    /// Tells whether it begins a loop.
    pub const fn is_loop(&self) -> bool {
        self.is_between(Op::Loop, Op::Loopgtz)
    }

    /// Tells whether it is of the floating-point unit.
    pub const fn is_float(&self) -> bool {
        self.is_between(Op::Lsi, Op::AddexpmS)
    }

    /// Tells whether it ends a block: control may go on elsewhere, or the run loop must look before the next instruction.
    pub const fn ends_block(&self) -> bool {
        self.is_between(Op::Beqz, Op::Rotw)
            || self.is_between(Op::Rfe, Op::Simcall)
            || matches!(self.op, Op::Waiti | Op::Wsr | Op::Xsr | Op::Wer | Op::Illegal | Op::FetchFault)
            || matches!(self.op, Op::Iitlb | Op::Witlb | Op::Idtlb | Op::Wdtlb | Op::Isync)
    }
}
