//! The operations of instructions, by name.

/// The operation of an instruction. `rd` is the first register and `rr` the second register or a bit's number. `imm` is a
/// constant, a displacement, an I/O address or, once resolved, an absolute byte address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs)] // Named as in the manual; bodies are in exec/.
pub enum Op {
    // Arithmetic and logic.
    Add,
    Adc,
    Adiw,
    Sub,
    Subi,
    Sbc,
    Sbci,
    Sbiw,
    And,
    Andi,
    Or,
    Ori,
    Eor,
    Com,
    Neg,
    Inc,
    Dec,
    Mul,
    Muls,
    Mulsu,
    Fmul,
    Fmuls,
    Fmulsu,
    // Branches.
    Rjmp,
    Ijmp,
    Eijmp,
    Jmp,
    Rcall,
    Icall,
    Eicall,
    Call,
    Ret,
    Reti,
    Cpse,
    Cp,
    Cpc,
    Cpi,
    Sbrc,
    Sbrs,
    Sbic,
    Sbis,
    Brbs,
    Brbc,
    // Data transfer.
    Mov,
    Movw,
    Ldi,
    Lds,
    LdX,
    LdXInc,
    LdXDec,
    LddY,
    LdYInc,
    LdYDec,
    LddZ,
    LdZInc,
    LdZDec,
    Sts,
    StX,
    StXInc,
    StXDec,
    StdY,
    StYInc,
    StYDec,
    StdZ,
    StZInc,
    StZDec,
    LpmR0,
    Lpm,
    LpmInc,
    ElpmR0,
    Elpm,
    ElpmInc,
    Spm,
    In,
    Out,
    Push,
    Pop,
    // Bits.
    Lsr,
    Ror,
    Asr,
    Swap,
    Sbi,
    Cbi,
    Bst,
    Bld,
    Bset,
    Bclr,
    // Control of the core.
    Break,
    Nop,
    Sleep,
    Wdr,
    /// No instruction of this core.
    Reserved,
    // What only a block holds.
    /// A jump or call to `imm`, which lies outside flash.
    Outside,
    /// Names the undefined combination of operands that the next step has.
    NameUndefined,
    /// IN from SREG.
    InSreg,
    /// OUT to SREG.
    OutSreg,
    /// IN from SPL.
    InSpl,
    /// IN from SPH.
    InSph,
    /// OUT to SPL.
    OutSpl,
    /// OUT to SPH.
    OutSph,
}
