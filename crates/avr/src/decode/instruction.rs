//! A decoded instruction.

use super::Op;

/// An instruction, decoded once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// The operation.
    pub op: Op,
    /// The first register, 0 to 31.
    pub rd: u8,
    /// The second register, 0 to 31, or a bit's number, 0 to 7.
    pub rr: u8,
    /// The words that a skip adds when it is made: the size of the instruction that it skips.
    pub skipped: u8,
    /// A constant, a displacement, an I/O address, or an absolute byte address once resolved.
    pub imm: u32,
}

/// The low register of X.
pub const X: u8 = 26;
/// The low register of Y.
pub const Y: u8 = 28;
/// The low register of Z.
pub const Z: u8 = 30;

impl Instruction {
    /// The immediate of a reserved instruction whose second word would lie behind the end of flash, in the place of its word.
    pub const CUT_OFF: u32 = u32::MAX;

    /// `op` without operands.
    pub const fn new(op: Op) -> Self {
        Self { op, rd: 0, rr: 0, skipped: 0, imm: 0 }
    }

    /// With the first register.
    #[must_use]
    pub const fn rd(self, rd: u8) -> Self {
        Self { rd: rd & 31, ..self }
    }

    /// With the second register or a bit's number.
    #[must_use]
    pub const fn rr(self, rr: u8) -> Self {
        Self { rr: rr & 31, ..self }
    }

    /// With a constant, displacement or address.
    #[must_use]
    pub const fn imm(self, imm: u32) -> Self {
        Self { imm, ..self }
    }

    /// Tells whether it skips the next instruction under a condition.
    pub const fn is_skip(&self) -> bool {
        matches!(self.op, Op::Cpse | Op::Sbrc | Op::Sbrs | Op::Sbic | Op::Sbis)
    }

    /// Tells whether it branches relative to its place. Such a branch wraps around between the end of flash and its
    /// beginning.
    pub const fn is_relative(&self) -> bool {
        matches!(self.op, Op::Rjmp | Op::Rcall | Op::Brbs | Op::Brbc)
    }

    /// Tells whether it ends a block: control may go on elsewhere, or the run loop must look before the next instruction.
    pub const fn ends_block(&self) -> bool {
        self.is_skip()
            || self.is_relative()
            || matches!(
                self.op,
                Op::Ijmp
                    | Op::Eijmp
                    | Op::Jmp
                    | Op::Icall
                    | Op::Eicall
                    | Op::Call
                    | Op::Ret
                    | Op::Reti
                    | Op::Outside
                    | Op::Spm
                    | Op::Sleep
                    | Op::Break
                    | Op::Reserved
                    | Op::OutSreg
            )
            || matches!(self.op, Op::Bset if self.rr == 7)
    }

    /// The manual's words for a combination of registers whose result it leaves undefined: a pointer that moves and is
    /// itself loaded or stored.
    pub const fn undefined_combination(&self) -> Option<&'static str> {
        let (name, pointer) = match self.op {
            Op::LdXInc => ("LD Rd, X+ with Rd in X", X),
            Op::LdXDec => ("LD Rd, -X with Rd in X", X),
            Op::LdYInc => ("LD Rd, Y+ with Rd in Y", Y),
            Op::LdYDec => ("LD Rd, -Y with Rd in Y", Y),
            Op::LdZInc => ("LD Rd, Z+ with Rd in Z", Z),
            Op::LdZDec => ("LD Rd, -Z with Rd in Z", Z),
            Op::StXInc => ("ST X+, Rr with Rr in X", X),
            Op::StXDec => ("ST -X, Rr with Rr in X", X),
            Op::StYInc => ("ST Y+, Rr with Rr in Y", Y),
            Op::StYDec => ("ST -Y, Rr with Rr in Y", Y),
            Op::StZInc => ("ST Z+, Rr with Rr in Z", Z),
            Op::StZDec => ("ST -Z, Rr with Rr in Z", Z),
            Op::LpmInc => ("LPM Rd, Z+ with Rd in Z", Z),
            Op::ElpmInc => ("ELPM Rd, Z+ with Rd in Z", Z),
            _ => return None,
        };
        if self.rd & !1 == pointer { Some(name) } else { None }
    }
}
