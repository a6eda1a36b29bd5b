//! What kind of instruction the tables of Armv7-M cores distinguish.

use crate::decode::{FpAccess, FpOp, Instruction, Multiple, Op};

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
    /// B<cond>, CBZ and CBNZ.
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
    /// What faults.
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

/// The kind of `i`.
pub fn shape(i: &Instruction) -> Shape {
    let listed = i.imm.count_ones();
    let wide = Multiple::unpack(i.imm).list.count_ones();
    let singles = FpAccess::unpack(i.imm).count;
    match i.op {
        Op::Mul | Op::MulQuiet => Shape::Multiply,
        Op::Mla | Op::Mls => Shape::MultiplyAccumulate,
        Op::Umull | Op::Smull => Shape::LongMultiply,
        Op::Umlal | Op::Smlal => Shape::LongMultiplyAccumulate,
        Op::Udiv | Op::Sdiv => Shape::Divide,
        Op::Dsp if crate::decode::Dsp::unpack(i.imm).op.multiplies() => Shape::DspMultiply,
        _ if i.is_load() => Shape::Load,
        Op::StrImm | Op::StrhImm | Op::StrbImm | Op::StrIndexed | Op::StrhIndexed | Op::StrbIndexed => Shape::Store,
        Op::StrReg | Op::StrhReg | Op::StrbReg => Shape::StoreIndexed,
        Op::Strex | Op::Strexh | Op::Strexb => Shape::StoreExclusive,
        Op::Ldrd | Op::LdrdLiteral => Shape::LoadDouble,
        Op::Strd => Shape::StoreDouble,
        Op::Ldm | Op::Pop => Shape::LoadMultiple(listed),
        Op::LdmWide => Shape::LoadMultiple(wide),
        Op::Stm | Op::Push => Shape::StoreMultiple(listed),
        Op::StmWide => Shape::StoreMultiple(wide),
        Op::PopPc => Shape::LoadMultiplePc(listed + 1),
        Op::LdmWidePc => Shape::LoadMultiplePc(wide),
        Op::LdrPcImm | Op::LdrPcReg | Op::LdrPcIndexed | Op::LdrPcLiteral => Shape::LoadPc,
        Op::Tbb | Op::Tbh => Shape::Table,
        Op::B | Op::Bl => Shape::Branch,
        Op::Cbz | Op::Cbnz => Shape::BranchIf,
        _ if i.is_conditional() => Shape::BranchIf,
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
        Op::Vldr | Op::VldrLiteral => Shape::FpLoad(singles),
        Op::Vstr => Shape::FpStore(singles),
        Op::Vldm => Shape::FpLoadMultiple(singles),
        Op::Vstm => Shape::FpStoreMultiple(singles),
        Op::VmovPairToCore | Op::VmovPairFromCore => Shape::FpPair,
        Op::VmovToCore | Op::VmovFromCore | Op::Vmrs | Op::Vmsr => Shape::Fp,
        Op::Fp => match crate::decode::Fp::unpack(i.imm).op {
            FpOp::Mla | FpOp::Mls | FpOp::Nmla | FpOp::Nmls => Shape::FpAccumulate,
            FpOp::Fma | FpOp::Fms | FpOp::Fnma | FpOp::Fnms => Shape::FpAccumulate,
            FpOp::Div => Shape::FpDivide,
            FpOp::Sqrt => Shape::FpRoot,
            _ => Shape::Fp,
        },
        _ => Shape::Data,
    }
}
