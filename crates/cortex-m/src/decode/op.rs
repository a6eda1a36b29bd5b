//! The operations of instructions, by name.

/// The operation of an instruction. Operand roles: `rd` is written, `rn` the first operand or base, `rm` the second
/// operand or offset; `imm` is an immediate, a register list or, once resolved, an absolute address. If more has to
/// fit, a type in `operand.rs` says how it is packed.
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
    /// `imm` is as [`Multiple`](crate::decode::Multiple) packs it. POP is an LDM by the stack pointer, PUSH an STM.
    Ldm,
    LdmPc,
    Stm,
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
    // Data processing of Armv7-M: an immediate operand, with [`Flags`] in `rm`.
    AndConst,
    BicConst,
    OrrConst,
    OrnConst,
    EorConst,
    AddConst,
    AdcConst,
    SbcConst,
    SubConst,
    RsbConst,
    MovConst,
    MvnConst,
    TstConst,
    TeqConst,
    CmnConst,
    // A register operand, shifted by a constant: [`Shifted`] in `imm`.
    AndShifted,
    BicShifted,
    OrrShifted,
    OrnShifted,
    EorShifted,
    AddShifted,
    AdcShifted,
    SbcShifted,
    SubShifted,
    RsbShifted,
    MovShifted,
    MvnShifted,
    TstShifted,
    TeqShifted,
    CmpShifted,
    CmnShifted,
    // Without flags: shifts by a register, and the rest of the integer instructions.
    LslQuiet,
    LsrQuiet,
    AsrQuiet,
    RorQuiet,
    MulQuiet,
    MovTop,
    Bfi,
    Bfc,
    Ubfx,
    Sbfx,
    Clz,
    Rbit,
    /// The addend is the register `imm`, as for all multiplications that accumulate.
    Mla,
    Mls,
    /// Long multiplications and MULs of them: `rd` is the low word, the register `imm` the high one.
    Umull,
    Smull,
    Umlal,
    Smlal,
    Udiv,
    Sdiv,
    /// `imm` is as [`Saturation`](crate::decode::Saturation) packs it.
    Ssat,
    Usat,
    /// An instruction of the DSP extension: `imm` is as [`Dsp`](crate::decode::Dsp) packs it.
    Dsp,
    // Loads and stores of Armv7-M.
    LdrshImm,
    LdrsbImm,
    /// `imm` is as [`Indexed`](crate::decode::Indexed) packs it, as for all that write their base or act unprivileged.
    LdrIndexed,
    LdrhIndexed,
    LdrbIndexed,
    LdrshIndexed,
    LdrsbIndexed,
    StrIndexed,
    StrhIndexed,
    StrbIndexed,
    LdrhLiteral,
    LdrbLiteral,
    LdrshLiteral,
    LdrsbLiteral,
    /// Two words, into `rd` and `rm`.
    Ldrd,
    LdrdLiteral,
    Strd,
    Ldrex,
    Ldrexh,
    Ldrexb,
    /// Stores `rm`, says in `rd` whether it did.
    Strex,
    Strexh,
    Strexb,
    Clrex,
    LdrPcImm,
    LdrPcReg,
    LdrPcIndexed,
    LdrPcLiteral,
    Tbb,
    Tbh,
    Cbz,
    Cbnz,
    /// Makes the next one to four instructions conditional: `imm` is ITSTATE.
    It,
    /// Of a coprocessor that is not there.
    NoCoprocessor,
    // Floating point.
    /// Data processing and conversions: `imm` is as [`Fp`](crate::decode::Fp) packs it.
    Fp,
    /// `imm` is as [`FpAccess`](crate::decode::FpAccess) packs it.
    Vldr,
    Vstr,
    Vldm,
    Vstm,
    VldrLiteral,
    /// Between the core's `rd` and the single in `imm`.
    VmovToCore,
    VmovFromCore,
    /// Between the core's `rd` and `rn` and two singles from `imm` up.
    VmovPairToCore,
    VmovPairFromCore,
    Vmrs,
    Vmsr,
    // Made when a block is built, never decoded.
    /// Loads the constant `imm`, whose reading time is static.
    Constant,
    /// Loads the constant `imm` from flash and stalls for its wait states.
    FlashConstant,
    /// Adds the constant `imm` to `rd`, without flags.
    AddConstant,
    /// Flash is asked for lines and waited for, as the block's run of fetches says whose place is in `rd`, `rn` and `rm` and whose
    /// number is `imm`.
    Fetches,
    /// Skips the next instruction unless the condition holds: `imm` is as [`Guard`](crate::decode::Guard) packs it.
    Guard,
    /// The block is cut where more than an address is to be known to go on: `imm` is as `Entry` packs it.
    SetEntry,
    /// Clears the two low bits of the stack pointer, after an instruction that may have set them.
    AlignSp,
    /// Adds the cycles since the last mark, beyond the static ones, to the counter `imm`.
    Mark,
    /// Keeps where the next load goes; `rd` says how its address is made, as [`Addressing`] packs it.
    ///
    /// [`Addressing`]: super::operand::Addressing
    NoteMemory,
    /// The same of a load or store that overlaps with the load before it, which takes its time if they go to two memories.
    CompareMemory,
}

impl Op {
    /// Tells whether it is one of the operations that [`Op`] lists from `first` to `last`.
    pub const fn is_between(self, first: Self, last: Self) -> bool {
        first as u8 <= self as u8 && self as u8 <= last as u8
    }
}
