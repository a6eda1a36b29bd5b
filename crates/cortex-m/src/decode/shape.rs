//! The kinds of instruction that the manuals' tables distinguish. Every operation is named here, so that none gets its
//! cycles by omission.

use super::instruction::Instruction;
use super::op::Op;
use super::operand::{Dsp, Fp, FpAccess, FpOp, Multiple};

/// The kinds, as the manuals' tables have them; with `n` registers where that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Move, add, compare, logic, shift, extend, bit field, saturate, reverse, DSP arithmetic.
    Data,
    /// MUL.
    Multiply,
    /// MLA and MLS.
    MultiplyAccumulate,
    /// UMULL and SMULL.
    LongMultiply,
    /// UMLAL and SMLAL.
    LongMultiplyAccumulate,
    /// A multiplication of the DSP extension.
    DspMultiply,
    /// UDIV and SDIV.
    Divide,
    /// A load of one register.
    Load,
    /// A store of one register at base plus constant.
    Store,
    /// A store of one register at base plus register.
    StoreIndexed,
    /// STREX and its narrower forms.
    StoreExclusive,
    /// LDRD.
    LoadDouble,
    /// STRD.
    StoreDouble,
    /// LDM and POP of `n`.
    LoadMultiple(u32),
    /// STM and PUSH of `n`.
    StoreMultiple(u32),
    /// A load into PC.
    LoadPc,
    /// LDM and POP of `n`, PC among them.
    LoadMultiplePc(u32),
    /// TBB and TBH.
    Table,
    /// B and BL.
    Branch,
    /// `B<cond>`, CBZ and CBNZ.
    BranchIf,
    /// BX, BLX, and data processing that writes PC.
    BranchIndirect,
    /// IT.
    It,
    /// NOP, SEV, YIELD and other hints, CLREX.
    Hint,
    /// WFE and WFI.
    Wait,
    /// CPS.
    State,
    /// MRS and MSR.
    Special,
    /// ISB.
    InstructionBarrier,
    /// DMB and DSB.
    DataBarrier,
    /// SVC.
    Call,
    /// BKPT.
    Breakpoint,
    /// An instruction that faults.
    Fault,
    /// Floating-point add, subtract, multiply, compare, convert, move, absolute, negate.
    Fp,
    /// Multiply and accumulate, chained or fused.
    FpAccumulate,
    /// VDIV.
    FpDivide,
    /// VSQRT.
    FpRoot,
    /// VMOV between the core and two singles.
    FpPair,
    /// VLDR of `n` singles.
    FpLoad(u32),
    /// VSTR of `n` singles.
    FpStore(u32),
    /// VLDM and VPOP of `n` singles.
    FpLoadMultiple(u32),
    /// VSTM and VPUSH of `n` singles.
    FpStoreMultiple(u32),
}

impl Shape {
    /// Tells whether such an instruction does nothing but compute: nobody sees when.
    pub const fn only_computes(self) -> bool {
        use Shape::{Data, DspMultiply, It, LongMultiply, LongMultiplyAccumulate, Multiply, MultiplyAccumulate};
        let multiplies =
            matches!(self, Multiply | MultiplyAccumulate | LongMultiply | LongMultiplyAccumulate | DspMultiply);
        multiplies || matches!(self, Data | It)
    }
}

/// The kind of `i`.
pub const fn shape(i: &Instruction) -> Shape {
    match i.op {
        Op::MovReg | Op::LslImm | Op::LsrImm | Op::AsrImm | Op::LslReg | Op::LsrReg | Op::AsrReg | Op::RorReg => {
            Shape::Data
        }
        Op::AddReg | Op::AddImm | Op::AdcReg | Op::SubReg | Op::SubImm | Op::SbcReg | Op::RsbZero => Shape::Data,
        Op::CmpReg | Op::CmpImm | Op::CmnReg | Op::TstReg => Shape::Data,
        Op::MovImm | Op::AndReg | Op::EorReg | Op::OrrReg | Op::BicReg | Op::MvnReg => Shape::Data,
        Op::AddHigh | Op::AddOffset | Op::AddSp | Op::SubSp | Op::MovHigh | Op::MovSp | Op::Adr => Shape::Data,
        Op::Sxth | Op::Sxtb | Op::Uxth | Op::Uxtb | Op::Rev | Op::Rev16 | Op::Revsh => Shape::Data,
        Op::AndConst | Op::BicConst | Op::OrrConst | Op::OrnConst | Op::EorConst => Shape::Data,
        Op::AddConst | Op::AdcConst | Op::SbcConst | Op::SubConst | Op::RsbConst => Shape::Data,
        Op::MovConst | Op::MvnConst | Op::TstConst | Op::TeqConst | Op::CmnConst => Shape::Data,
        Op::AndShifted | Op::BicShifted | Op::OrrShifted | Op::OrnShifted | Op::EorShifted => Shape::Data,
        Op::AddShifted | Op::AdcShifted | Op::SbcShifted | Op::SubShifted | Op::RsbShifted => Shape::Data,
        Op::MovShifted | Op::MvnShifted => Shape::Data,
        Op::TstShifted | Op::TeqShifted | Op::CmpShifted | Op::CmnShifted => Shape::Data,
        Op::LslQuiet | Op::LsrQuiet | Op::AsrQuiet | Op::RorQuiet | Op::MovTop => Shape::Data,
        Op::Bfi | Op::Bfc | Op::Ubfx | Op::Sbfx | Op::Clz | Op::Rbit | Op::Ssat | Op::Usat => Shape::Data,
        Op::Dsp if Dsp::unpack(i.imm).op.multiplies() => Shape::DspMultiply,
        Op::Dsp => Shape::Data,
        Op::Mul | Op::MulQuiet => Shape::Multiply,
        Op::Mla | Op::Mls => Shape::MultiplyAccumulate,
        Op::Umull | Op::Smull => Shape::LongMultiply,
        Op::Umlal | Op::Smlal => Shape::LongMultiplyAccumulate,
        Op::Udiv | Op::Sdiv => Shape::Divide,
        Op::LdrImm | Op::LdrhImm | Op::LdrbImm | Op::LdrshImm | Op::LdrsbImm => Shape::Load,
        Op::LdrReg | Op::LdrhReg | Op::LdrbReg | Op::LdrshReg | Op::LdrsbReg => Shape::Load,
        Op::LdrIndexed | Op::LdrhIndexed | Op::LdrbIndexed | Op::LdrshIndexed | Op::LdrsbIndexed => Shape::Load,
        Op::LdrLiteral | Op::LdrhLiteral | Op::LdrbLiteral | Op::LdrshLiteral | Op::LdrsbLiteral => Shape::Load,
        Op::Ldrex | Op::Ldrexh | Op::Ldrexb => Shape::Load,
        Op::StrImm | Op::StrhImm | Op::StrbImm | Op::StrIndexed | Op::StrhIndexed | Op::StrbIndexed => Shape::Store,
        Op::StrReg | Op::StrhReg | Op::StrbReg => Shape::StoreIndexed,
        Op::Strex | Op::Strexh | Op::Strexb => Shape::StoreExclusive,
        Op::Ldrd | Op::LdrdLiteral => Shape::LoadDouble,
        Op::Strd => Shape::StoreDouble,
        Op::Ldm => Shape::LoadMultiple(Multiple::listed(i.imm)),
        Op::LdmPc => Shape::LoadMultiplePc(Multiple::listed(i.imm)),
        Op::Stm => Shape::StoreMultiple(Multiple::listed(i.imm)),
        Op::LdrPcImm | Op::LdrPcReg | Op::LdrPcIndexed | Op::LdrPcLiteral => Shape::LoadPc,
        Op::Tbb | Op::Tbh => Shape::Table,
        Op::B | Op::Bl => Shape::Branch,
        Op::Beq | Op::Bne | Op::Bcs | Op::Bcc | Op::Bmi | Op::Bpl | Op::Bvs => Shape::BranchIf,
        Op::Bvc | Op::Bhi | Op::Bls | Op::Bge | Op::Blt | Op::Bgt | Op::Ble => Shape::BranchIf,
        Op::Cbz | Op::Cbnz => Shape::BranchIf,
        Op::Bx | Op::Blx | Op::AddPc | Op::MovPc => Shape::BranchIndirect,
        Op::It => Shape::It,
        Op::Nop | Op::Yield | Op::Sev | Op::Clrex => Shape::Hint,
        Op::Wfe | Op::Wfi => Shape::Wait,
        Op::Cps => Shape::State,
        Op::Mrs | Op::Msr => Shape::Special,
        Op::Isb => Shape::InstructionBarrier,
        Op::Dsb | Op::Dmb => Shape::DataBarrier,
        Op::Svc => Shape::Call,
        Op::Bkpt => Shape::Breakpoint,
        Op::Udf | Op::Undefined | Op::NoCoprocessor => Shape::Fault,
        Op::Vldr | Op::VldrLiteral => Shape::FpLoad(FpAccess::unpack(i.imm).count),
        Op::Vstr => Shape::FpStore(FpAccess::unpack(i.imm).count),
        Op::Vldm => Shape::FpLoadMultiple(FpAccess::unpack(i.imm).count),
        Op::Vstm => Shape::FpStoreMultiple(FpAccess::unpack(i.imm).count),
        Op::VmovPairToCore | Op::VmovPairFromCore => Shape::FpPair,
        Op::VmovToCore | Op::VmovFromCore | Op::Vmrs | Op::Vmsr => Shape::Fp,
        Op::Fp => shape_of_fp(Fp::unpack(i.imm).op),
        // Made when a block is built; what they stand for was charged before.
        Op::FlashConstant => Shape::Load,
        Op::Constant | Op::AddConstant | Op::Fetches => Shape::Data,
        Op::Guard | Op::SetEntry | Op::AlignSp | Op::Mark | Op::NoteMemory | Op::CompareMemory => Shape::Data,
    }
}

/// The kind of a floating-point operation.
const fn shape_of_fp(op: FpOp) -> Shape {
    match op {
        FpOp::Mla | FpOp::Mls | FpOp::Nmla | FpOp::Nmls => Shape::FpAccumulate,
        FpOp::Fma | FpOp::Fms | FpOp::Fnma | FpOp::Fnms => Shape::FpAccumulate,
        FpOp::Div => Shape::FpDivide,
        FpOp::Sqrt => Shape::FpRoot,
        FpOp::Add | FpOp::Sub | FpOp::Mul | FpOp::Nmul => Shape::Fp,
        FpOp::Mov | FpOp::MovImm | FpOp::Abs | FpOp::Neg => Shape::Fp,
        FpOp::Cmp | FpOp::Cmpe | FpOp::CmpZero | FpOp::CmpeZero => Shape::Fp,
        FpOp::FromSigned | FpOp::FromUnsigned | FpOp::ToSigned | FpOp::ToUnsigned => Shape::Fp,
        FpOp::ToSignedRounded | FpOp::ToUnsignedRounded => Shape::Fp,
        FpOp::HalfBottomToSingle | FpOp::HalfTopToSingle => Shape::Fp,
        FpOp::SingleToHalfBottom | FpOp::SingleToHalfTop => Shape::Fp,
        FpOp::FromSignedFixed16 | FpOp::FromUnsignedFixed16 => Shape::Fp,
        FpOp::FromSignedFixed32 | FpOp::FromUnsignedFixed32 => Shape::Fp,
        FpOp::ToSignedFixed16 | FpOp::ToUnsignedFixed16 => Shape::Fp,
        FpOp::ToSignedFixed32 | FpOp::ToUnsignedFixed32 => Shape::Fp,
    }
}
