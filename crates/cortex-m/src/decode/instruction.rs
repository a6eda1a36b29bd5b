//! The predecoded instruction: what the decoder yields and the executor runs.

use super::op::Op;
use super::operand::{Fp, Multiple};
use super::reg::Reg;
use super::shape::{Shape, shape};

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
        matches!(shape(self), Shape::BranchIf) && !matches!(self.op, Op::Cbz | Op::Cbnz)
    }

    /// Tells whether a block ends with it: it may leave the straight line, or the next instruction must see its effect
    /// on the machine.
    pub const fn ends_block(&self) -> bool {
        use Shape::{
            Branch, BranchIf, BranchIndirect, Breakpoint, Call, Fault, InstructionBarrier, State, Table, Wait,
        };
        self.loads_pc()
            || matches!(shape(self), Branch | BranchIf | BranchIndirect | Table | Call | Breakpoint | Fault)
            || matches!(shape(self), Wait | State | InstructionBarrier)
            || matches!(self.op, Op::Msr | Op::Dsb)
    }

    /// Tells whether it branches to an address that it loads.
    pub const fn loads_pc(&self) -> bool {
        matches!(shape(self), Shape::LoadPc | Shape::LoadMultiplePc(_))
    }

    /// Tells whether it is a load of one value.
    pub const fn is_load(&self) -> bool {
        matches!(shape(self), Shape::Load)
    }

    /// Tells whether it reads data memory.
    pub const fn reads_memory(&self) -> bool {
        use Shape::{FpLoad, FpLoadMultiple, Load, LoadDouble, LoadMultiple, Table};
        let loads = matches!(shape(self), Load | LoadDouble | LoadMultiple(_) | Table | FpLoad(_) | FpLoadMultiple(_));
        loads || self.loads_pc()
    }

    /// Tells whether it reads or writes data memory.
    pub const fn moves_data(&self) -> bool {
        use Shape::{FpStore, FpStoreMultiple, Store, StoreDouble, StoreExclusive, StoreIndexed, StoreMultiple};
        self.reads_memory()
            || matches!(shape(self), Store | StoreIndexed | StoreExclusive | StoreDouble | StoreMultiple(_))
            || matches!(shape(self), FpStore(_) | FpStoreMultiple(_))
    }

    /// Tells whether it moves two words, in one go.
    pub const fn moves_two(&self) -> bool {
        matches!(shape(self), Shape::LoadDouble | Shape::StoreDouble | Shape::FpLoad(2) | Shape::FpStore(2))
    }

    /// Tells whether it moves several registers. An interrupt may then stop it midway, and it continues afterwards.
    pub const fn is_multiple(&self) -> bool {
        use Shape::{FpLoadMultiple, FpStoreMultiple, LoadMultiple, LoadMultiplePc, StoreMultiple};
        matches!(shape(self), LoadMultiple(_) | LoadMultiplePc(_) | StoreMultiple(_))
            || matches!(shape(self), FpLoadMultiple(_) | FpStoreMultiple(_))
    }

    /// Tells whether it divides integers. An interrupt may then abandon it.
    pub const fn is_division(&self) -> bool {
        matches!(shape(self), Shape::Divide)
    }

    /// Tells whether it writes `rd` as a general register. A stack pointer written in this way must be aligned afterwards.
    pub const fn writes_rd(&self) -> bool {
        use Op::{AddConstant, AddHigh, AddOffset, Adr, Constant, MovHigh, VmovToCore};
        self.op.is_between(Op::MovReg, Op::RsbZero)
            || self.op.is_between(Op::AndConst, Op::MvnConst)
            || self.op.is_between(Op::AndShifted, Op::MvnShifted)
            || matches!(self.op, MovHigh | AddHigh | AddOffset | Adr | Constant | AddConstant | VmovToCore)
            || self.is_load()
    }

    /// Tells whether it is a load or store of one register that writes its base back.
    pub const fn is_indexed(&self) -> bool {
        self.op.is_between(Op::LdrIndexed, Op::StrbIndexed)
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
        use Shape::{Fp, FpAccumulate, FpDivide, FpLoad, FpLoadMultiple, FpPair, FpRoot, FpStore, FpStoreMultiple};
        matches!(shape(self), Fp | FpAccumulate | FpDivide | FpRoot | FpPair)
            || matches!(shape(self), FpLoad(_) | FpStore(_) | FpLoadMultiple(_) | FpStoreMultiple(_))
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
