//! The predecoded instruction: what the decoder yields and the executor runs.

/// A general register. As an enum, indexing the register file with it needs no bounds check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs)] // R0 to R12 are what they are called.
pub enum Reg {
    R0,
    R1,
    R2,
    R3,
    R4,
    R5,
    R6,
    R7,
    R8,
    R9,
    R10,
    R11,
    R12,
    /// The stack pointer in use.
    Sp,
    /// The link register.
    Lr,
    /// The program counter.
    Pc,
}

impl Reg {
    /// All registers by number.
    pub const ALL: [Self; 16] = [
        Self::R0,
        Self::R1,
        Self::R2,
        Self::R3,
        Self::R4,
        Self::R5,
        Self::R6,
        Self::R7,
        Self::R8,
        Self::R9,
        Self::R10,
        Self::R11,
        Self::R12,
        Self::Sp,
        Self::Lr,
        Self::Pc,
    ];

    /// The register with the number in the low four bits of `number`.
    pub const fn new(number: u32) -> Self {
        Self::ALL[(number & 15) as usize]
    }
}

/// What an instruction does. Operand roles: `rd` is written, `rn` the first operand or base, `rm` the second operand or
/// offset; `imm` is an immediate, a register list or, once resolved, an absolute address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs)] // Named as in the manual; bodies are in exec/.
pub enum Op {
    // Shifts, setting flags.
    MovReg,
    LslImm,
    LsrImm,
    AsrImm,
    LslReg,
    LsrReg,
    AsrReg,
    RorReg,
    // Arithmetic, setting flags.
    AddReg,
    AddImm,
    AdcReg,
    SubReg,
    SubImm,
    SbcReg,
    RsbZero,
    CmpReg,
    CmpImm,
    CmnReg,
    Mul,
    // Logic, setting flags.
    MovImm,
    AndReg,
    EorReg,
    OrrReg,
    BicReg,
    MvnReg,
    TstReg,
    // Without flags.
    AddHigh,
    AddOffset,
    AddSp,
    SubSp,
    MovHigh,
    MovSp,
    Adr,
    Sxth,
    Sxtb,
    Uxth,
    Uxtb,
    Rev,
    Rev16,
    Revsh,
    // Loads and stores: base plus immediate, base plus register, literal.
    LdrImm,
    LdrhImm,
    LdrbImm,
    StrImm,
    StrhImm,
    StrbImm,
    LdrReg,
    LdrhReg,
    LdrbReg,
    LdrshReg,
    LdrsbReg,
    StrReg,
    StrhReg,
    StrbReg,
    LdrLiteral,
    Ldm,
    Stm,
    Push,
    Pop,
    PopPc,
    // Branches.
    B,
    Beq,
    Bne,
    Bcs,
    Bcc,
    Bmi,
    Bpl,
    Bvs,
    Bvc,
    Bhi,
    Bls,
    Bge,
    Blt,
    Bgt,
    Ble,
    Bl,
    Bx,
    Blx,
    AddPc,
    MovPc,
    // System.
    Svc,
    Bkpt,
    Udf,
    Undefined,
    Nop,
    Yield,
    Wfe,
    Wfi,
    Sev,
    Cps,
    Mrs,
    Msr,
    Dsb,
    Dmb,
    Isb,
    // Made when a block is built, never decoded.
    /// Loads the constant `imm`, whose reading time is static.
    Constant,
    /// Loads the constant `imm` from flash and stalls for its wait states.
    FlashConstant,
    /// Adds the constant `imm` to `rd`, without flags.
    AddConstant,
    /// The fetch reaches the flash line `imm`.
    FetchLine,
}

/// One predecoded instruction, eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// What it does.
    pub op: Op,
    /// The register written.
    pub rd: Reg,
    /// The first operand or base.
    pub rn: Reg,
    /// The second operand or offset.
    pub rm: Reg,
    /// Immediate, register list, or absolute address.
    pub imm: u32,
}

impl Instruction {
    /// An instruction without operands.
    pub const fn new(op: Op) -> Self {
        Self { op, rd: Reg::R0, rn: Reg::R0, rm: Reg::R0, imm: 0 }
    }

    /// With the register written.
    #[must_use]
    pub const fn rd(mut self, rd: Reg) -> Self {
        self.rd = rd;
        self
    }

    /// With the first operand.
    #[must_use]
    pub const fn rn(mut self, rn: Reg) -> Self {
        self.rn = rn;
        self
    }

    /// With the second operand.
    #[must_use]
    pub const fn rm(mut self, rm: Reg) -> Self {
        self.rm = rm;
        self
    }

    /// With an immediate.
    #[must_use]
    pub const fn imm(mut self, imm: u32) -> Self {
        self.imm = imm;
        self
    }

    /// Whether it is a conditional branch.
    pub const fn is_conditional(&self) -> bool {
        matches!(
            self.op,
            Op::Beq
                | Op::Bne
                | Op::Bcs
                | Op::Bcc
                | Op::Bmi
                | Op::Bpl
                | Op::Bvs
                | Op::Bvc
                | Op::Bhi
                | Op::Bls
                | Op::Bge
                | Op::Blt
                | Op::Bgt
                | Op::Ble
        )
    }

    /// Whether a block ends with it: it may leave the straight line, or what follows must see its effect on the machine.
    pub const fn ends_block(&self) -> bool {
        self.is_conditional()
            || matches!(
                self.op,
                Op::PopPc
                    | Op::B
                    | Op::Bl
                    | Op::Bx
                    | Op::Blx
                    | Op::AddPc
                    | Op::MovPc
                    | Op::Svc
                    | Op::Bkpt
                    | Op::Udf
                    | Op::Undefined
                    | Op::Wfe
                    | Op::Wfi
                    | Op::Cps
                    | Op::Msr
                    | Op::Isb
                    | Op::Dsb
            )
    }

    /// Whether it reads data memory.
    pub const fn reads_memory(&self) -> bool {
        matches!(
            self.op,
            Op::LdrImm
                | Op::LdrhImm
                | Op::LdrbImm
                | Op::LdrReg
                | Op::LdrhReg
                | Op::LdrbReg
                | Op::LdrshReg
                | Op::LdrsbReg
                | Op::LdrLiteral
                | Op::FlashConstant
                | Op::Ldm
                | Op::Pop
                | Op::PopPc
        )
    }

    /// Whether it moves several registers, and so may be abandoned for an interrupt.
    pub const fn is_multiple(&self) -> bool {
        matches!(self.op, Op::Ldm | Op::Stm | Op::Push | Op::Pop | Op::PopPc)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_stays_small() {
        assert_eq!(size_of::<Instruction>(), 8);
    }
}
