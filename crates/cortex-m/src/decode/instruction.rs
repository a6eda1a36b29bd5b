//! The predecoded instruction: what the decoder yields and the executor runs.

use super::op::Op;
use super::operand::{Fp, Multiple};

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

/// One predecoded instruction, eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The operation.
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

    /// With a number below 4096 in place of its registers.
    #[must_use]
    pub const fn place(self, place: u32) -> Self {
        self.rd(Reg::new(place)).rn(Reg::new(place >> 4)).rm(Reg::new(place >> 8))
    }

    /// The number that [`Self::place`] has put there.
    pub const fn placed(&self) -> usize {
        self.rd as usize | (self.rn as usize) << 4 | (self.rm as usize) << 8
    }

    /// This conditional branch in the middle of a block, which it leaves when it is taken.
    #[must_use]
    pub const fn leaves_block(self) -> Self {
        self.rm(Reg::Pc)
    }

    /// Tells whether it is a conditional branch made by [`Self::leaves_block`].
    pub const fn is_inside_block(&self) -> bool {
        matches!(self.rm, Reg::Pc)
    }

    /// Tells whether it is a conditional branch.
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

    /// Tells whether a block ends with it: it may leave the straight line, or the next instruction must see its effect
    /// on the machine.
    pub const fn ends_block(&self) -> bool {
        self.is_conditional()
            || self.loads_pc()
            || matches!(
                self.op,
                Op::B
                    | Op::Bl
                    | Op::Bx
                    | Op::Blx
                    | Op::AddPc
                    | Op::MovPc
                    | Op::Tbb
                    | Op::Tbh
                    | Op::Cbz
                    | Op::Cbnz
                    | Op::Svc
                    | Op::Bkpt
                    | Op::Udf
                    | Op::Undefined
                    | Op::NoCoprocessor
                    | Op::Wfe
                    | Op::Wfi
                    | Op::Cps
                    | Op::Msr
                    | Op::Isb
                    | Op::Dsb
            )
    }

    /// Tells whether it branches to an address that it loads.
    pub const fn loads_pc(&self) -> bool {
        matches!(self.op, Op::LdmPc | Op::LdrPcImm | Op::LdrPcReg | Op::LdrPcIndexed | Op::LdrPcLiteral)
    }

    /// Tells whether it is a load of one value.
    pub const fn is_load(&self) -> bool {
        matches!(
            self.op,
            Op::LdrImm
                | Op::LdrhImm
                | Op::LdrbImm
                | Op::LdrshImm
                | Op::LdrsbImm
                | Op::LdrReg
                | Op::LdrhReg
                | Op::LdrbReg
                | Op::LdrshReg
                | Op::LdrsbReg
                | Op::LdrLiteral
                | Op::LdrhLiteral
                | Op::LdrbLiteral
                | Op::LdrshLiteral
                | Op::LdrsbLiteral
                | Op::LdrIndexed
                | Op::LdrhIndexed
                | Op::LdrbIndexed
                | Op::LdrshIndexed
                | Op::LdrsbIndexed
                | Op::Ldrex
                | Op::Ldrexh
                | Op::Ldrexb
                | Op::FlashConstant
        )
    }

    /// Tells whether it reads data memory.
    pub const fn reads_memory(&self) -> bool {
        self.is_load()
            || self.loads_pc()
            || matches!(
                self.op,
                Op::Ldm | Op::Ldrd | Op::LdrdLiteral | Op::Vldr | Op::VldrLiteral | Op::Vldm | Op::Tbb | Op::Tbh
            )
    }

    /// Tells whether it reads or writes data memory.
    pub const fn moves_data(&self) -> bool {
        self.reads_memory()
            || self.is_multiple()
            || matches!(
                self.op,
                Op::StrImm
                    | Op::StrhImm
                    | Op::StrbImm
                    | Op::StrReg
                    | Op::StrhReg
                    | Op::StrbReg
                    | Op::StrIndexed
                    | Op::StrhIndexed
                    | Op::StrbIndexed
                    | Op::Strd
                    | Op::Strex
                    | Op::Strexh
                    | Op::Strexb
                    | Op::Vstr
            )
    }

    /// Tells whether it moves several registers. An interrupt may then stop it midway, and it continues afterwards.
    pub const fn is_multiple(&self) -> bool {
        matches!(self.op, Op::Ldm | Op::LdmPc | Op::Stm | Op::Vldm | Op::Vstm)
    }

    /// Tells whether it divides integers. An interrupt may then abandon it.
    pub const fn is_division(&self) -> bool {
        matches!(self.op, Op::Udiv | Op::Sdiv)
    }

    /// Tells whether it writes `rd` as a general register. A stack pointer written in this way must be aligned afterwards.
    pub const fn writes_rd(&self) -> bool {
        (self.op as u8) < Op::CmpReg as u8
            || matches!(self.op, Op::MovHigh | Op::AddHigh | Op::AddOffset | Op::Adr | Op::Constant | Op::AddConstant)
            || self.is_load()
            || matches!(
                self.op,
                Op::AndConst
                    | Op::BicConst
                    | Op::OrrConst
                    | Op::OrnConst
                    | Op::EorConst
                    | Op::AddConst
                    | Op::AdcConst
                    | Op::SbcConst
                    | Op::SubConst
                    | Op::RsbConst
                    | Op::MovConst
                    | Op::MvnConst
                    | Op::AndShifted
                    | Op::BicShifted
                    | Op::OrrShifted
                    | Op::OrnShifted
                    | Op::EorShifted
                    | Op::AddShifted
                    | Op::AdcShifted
                    | Op::SbcShifted
                    | Op::SubShifted
                    | Op::RsbShifted
                    | Op::MovShifted
                    | Op::MvnShifted
                    | Op::VmovToCore
            )
    }

    /// The rest of a load or store of several registers that goes on at `register`.
    #[must_use]
    pub const fn continued(self, register: u32) -> Self {
        if !matches!(self.op, Op::Ldm | Op::LdmPc | Op::Stm) {
            return self;
        }
        let multiple = Multiple::unpack(self.imm);
        let moved = multiple.list & ((1 << (register & 15)) - 1);
        let (list, done) = (multiple.list & !moved, multiple.done + moved.count_ones());
        Self { imm: Multiple { list, done, ..multiple }.pack(), ..self }
    }

    /// The registers of a load or store of several, a bit each, if it can go on in the middle: not when it loads its own
    /// base, nor a floating-point one, nor when it pushes: the interrupt's frame takes the place of what was pushed.
    pub fn continuable(&self) -> Option<u32> {
        if !matches!(self.op, Op::Ldm | Op::LdmPc | Op::Stm) {
            return None;
        }
        let Multiple { list, before, .. } = Multiple::unpack(self.imm);
        let loads_base = self.op != Op::Stm && list & 1 << self.rn as u32 != 0;
        let pushes = self.op == Op::Stm && self.rn == Reg::Sp && before;
        (!loads_base && !pushes).then_some(list)
    }

    /// The floating-point operation, of an [`Op::Fp`].
    pub const fn fp(&self) -> Option<Fp> {
        if matches!(self.op, Op::Fp) { Some(Fp::unpack(self.imm)) } else { None }
    }

    /// Tells whether it belongs to the floating-point extension, which must then be on.
    pub const fn needs_fpu(&self) -> bool {
        matches!(
            self.op,
            Op::Fp
                | Op::Vldr
                | Op::VldrLiteral
                | Op::Vstr
                | Op::Vldm
                | Op::Vstm
                | Op::VmovToCore
                | Op::VmovFromCore
                | Op::VmovPairToCore
                | Op::VmovPairFromCore
                | Op::Vmrs
                | Op::Vmsr
        )
    }

    /// Of CPS: interrupts are masked rather than let through.
    pub const CPS_DISABLE: u32 = 1;
    /// Of CPS: PRIMASK is written.
    pub const CPS_PRIMASK: u32 = 2;
    /// Of CPS: FAULTMASK is written.
    pub const CPS_FAULTMASK: u32 = 4;
    /// Of MSR: the flags are written.
    pub const MSR_FLAGS: u32 = 1 << 9;
    /// Of MSR: the GE bits are written.
    pub const MSR_GE: u32 = 1 << 8;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_stays_small() {
        assert_eq!(size_of::<Instruction>(), 8);
    }
}
