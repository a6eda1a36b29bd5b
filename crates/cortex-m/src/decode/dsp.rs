//! The DSP extension, which makes Armv7E-M of Armv7-M: DDI 0403E §A5.3 and §A7.7.

use super::fields::{bits, reg, wide};
use super::operand::{Dsp, DspOp};
use super::{Instruction, Op, Row};

const fn dsp(op: DspOp, extra: u32) -> Instruction {
    Instruction::new(Op::Dsp).imm(Dsp { op, extra }.pack())
}

/// `Rd, Rn, Rm`
macro_rules! three {
    ($op:ident) => {
        |w| dsp(DspOp::$op, 0).rd(reg(w, 8)).rn(reg(w, 16)).rm(reg(w, 0))
    };
}
/// `Rd, Rn, Rm, Ra`
macro_rules! four {
    ($op:ident) => {
        |w| dsp(DspOp::$op, bits(w, 12, 4)).rd(reg(w, 8)).rn(reg(w, 16)).rm(reg(w, 0))
    };
}
/// `RdLo, RdHi, Rn, Rm`
macro_rules! long {
    ($op:ident) => {
        |w| dsp(DspOp::$op, bits(w, 8, 4)).rd(reg(w, 12)).rn(reg(w, 16)).rm(reg(w, 0))
    };
}

/// `Rd, [Rn,] Rm, ROR #imm2*8`
pub(super) const fn extend(op: DspOp, w: u32) -> Instruction {
    dsp(op, bits(w, 4, 2) * 8).rd(reg(w, 8)).rn(reg(w, 16)).rm(reg(w, 0))
}

const fn pack(op: DspOp, w: u32) -> Instruction {
    let amount = bits(w, 12, 3) << 2 | bits(w, 6, 2);
    // PKHTB shifts right; by 0 means by 32.
    let amount = if matches!(op, DspOp::Pkhtb) && amount == 0 { 32 } else { amount };
    dsp(op, amount).rd(reg(w, 8)).rn(reg(w, 16)).rm(reg(w, 0))
}

/// 32-bit encodings in the place of shifts that SSAT and USAT cannot have.
pub const SATURATING: &[Row] = &[
    wide("1111 0011 0010 xxxx 0000 xxxx 0000 xxxx", "SSAT16 T1", |w| {
        dsp(DspOp::Ssat16, bits(w, 0, 4) + 1).rd(reg(w, 8)).rn(reg(w, 16))
    }),
    wide("1111 0011 1010 xxxx 0000 xxxx 0000 xxxx", "USAT16 T1", |w| {
        dsp(DspOp::Usat16, bits(w, 0, 4)).rd(reg(w, 8)).rn(reg(w, 16))
    }),
];

/// The other 32-bit encodings.
#[rustfmt::skip] // One line an encoding.
pub const WIDE: &[Row] = &[
    wide("1110 1010 1100 xxxx 0xxx xxxx xx00 xxxx", "PKHBT T1", |w| pack(DspOp::Pkhbt, w)),
    wide("1110 1010 1100 xxxx 0xxx xxxx xx10 xxxx", "PKHTB T1", |w| pack(DspOp::Pkhtb, w)),
    // Extend, rotated; adding.
    wide("1111 1010 0010 1111 1111 xxxx 10xx xxxx", "SXTB16 T1", |w| extend(DspOp::Sxtb16, w)),
    wide("1111 1010 0011 1111 1111 xxxx 10xx xxxx", "UXTB16 T1", |w| extend(DspOp::Uxtb16, w)),
    wide("1111 1010 0000 xxxx 1111 xxxx 10xx xxxx", "SXTAH T1", |w| extend(DspOp::Sxtah, w)),
    wide("1111 1010 0001 xxxx 1111 xxxx 10xx xxxx", "UXTAH T1", |w| extend(DspOp::Uxtah, w)),
    wide("1111 1010 0010 xxxx 1111 xxxx 10xx xxxx", "SXTAB16 T1", |w| extend(DspOp::Sxtab16, w)),
    wide("1111 1010 0011 xxxx 1111 xxxx 10xx xxxx", "UXTAB16 T1", |w| extend(DspOp::Uxtab16, w)),
    wide("1111 1010 0100 xxxx 1111 xxxx 10xx xxxx", "SXTAB T1", |w| extend(DspOp::Sxtab, w)),
    wide("1111 1010 0101 xxxx 1111 xxxx 10xx xxxx", "UXTAB T1", |w| extend(DspOp::Uxtab, w)),
    // Parallel additions and subtractions.
    wide("1111 1010 1001 xxxx 1111 xxxx 0000 xxxx", "SADD16 T1", three!(Sadd16)),
    wide("1111 1010 1010 xxxx 1111 xxxx 0000 xxxx", "SASX T1", three!(Sasx)),
    wide("1111 1010 1110 xxxx 1111 xxxx 0000 xxxx", "SSAX T1", three!(Ssax)),
    wide("1111 1010 1101 xxxx 1111 xxxx 0000 xxxx", "SSUB16 T1", three!(Ssub16)),
    wide("1111 1010 1000 xxxx 1111 xxxx 0000 xxxx", "SADD8 T1", three!(Sadd8)),
    wide("1111 1010 1100 xxxx 1111 xxxx 0000 xxxx", "SSUB8 T1", three!(Ssub8)),
    wide("1111 1010 1001 xxxx 1111 xxxx 0001 xxxx", "QADD16 T1", three!(Qadd16)),
    wide("1111 1010 1010 xxxx 1111 xxxx 0001 xxxx", "QASX T1", three!(Qasx)),
    wide("1111 1010 1110 xxxx 1111 xxxx 0001 xxxx", "QSAX T1", three!(Qsax)),
    wide("1111 1010 1101 xxxx 1111 xxxx 0001 xxxx", "QSUB16 T1", three!(Qsub16)),
    wide("1111 1010 1000 xxxx 1111 xxxx 0001 xxxx", "QADD8 T1", three!(Qadd8)),
    wide("1111 1010 1100 xxxx 1111 xxxx 0001 xxxx", "QSUB8 T1", three!(Qsub8)),
    wide("1111 1010 1001 xxxx 1111 xxxx 0010 xxxx", "SHADD16 T1", three!(Shadd16)),
    wide("1111 1010 1010 xxxx 1111 xxxx 0010 xxxx", "SHASX T1", three!(Shasx)),
    wide("1111 1010 1110 xxxx 1111 xxxx 0010 xxxx", "SHSAX T1", three!(Shsax)),
    wide("1111 1010 1101 xxxx 1111 xxxx 0010 xxxx", "SHSUB16 T1", three!(Shsub16)),
    wide("1111 1010 1000 xxxx 1111 xxxx 0010 xxxx", "SHADD8 T1", three!(Shadd8)),
    wide("1111 1010 1100 xxxx 1111 xxxx 0010 xxxx", "SHSUB8 T1", three!(Shsub8)),
    wide("1111 1010 1001 xxxx 1111 xxxx 0100 xxxx", "UADD16 T1", three!(Uadd16)),
    wide("1111 1010 1010 xxxx 1111 xxxx 0100 xxxx", "UASX T1", three!(Uasx)),
    wide("1111 1010 1110 xxxx 1111 xxxx 0100 xxxx", "USAX T1", three!(Usax)),
    wide("1111 1010 1101 xxxx 1111 xxxx 0100 xxxx", "USUB16 T1", three!(Usub16)),
    wide("1111 1010 1000 xxxx 1111 xxxx 0100 xxxx", "UADD8 T1", three!(Uadd8)),
    wide("1111 1010 1100 xxxx 1111 xxxx 0100 xxxx", "USUB8 T1", three!(Usub8)),
    wide("1111 1010 1001 xxxx 1111 xxxx 0101 xxxx", "UQADD16 T1", three!(Uqadd16)),
    wide("1111 1010 1010 xxxx 1111 xxxx 0101 xxxx", "UQASX T1", three!(Uqasx)),
    wide("1111 1010 1110 xxxx 1111 xxxx 0101 xxxx", "UQSAX T1", three!(Uqsax)),
    wide("1111 1010 1101 xxxx 1111 xxxx 0101 xxxx", "UQSUB16 T1", three!(Uqsub16)),
    wide("1111 1010 1000 xxxx 1111 xxxx 0101 xxxx", "UQADD8 T1", three!(Uqadd8)),
    wide("1111 1010 1100 xxxx 1111 xxxx 0101 xxxx", "UQSUB8 T1", three!(Uqsub8)),
    wide("1111 1010 1001 xxxx 1111 xxxx 0110 xxxx", "UHADD16 T1", three!(Uhadd16)),
    wide("1111 1010 1010 xxxx 1111 xxxx 0110 xxxx", "UHASX T1", three!(Uhasx)),
    wide("1111 1010 1110 xxxx 1111 xxxx 0110 xxxx", "UHSAX T1", three!(Uhsax)),
    wide("1111 1010 1101 xxxx 1111 xxxx 0110 xxxx", "UHSUB16 T1", three!(Uhsub16)),
    wide("1111 1010 1000 xxxx 1111 xxxx 0110 xxxx", "UHADD8 T1", three!(Uhadd8)),
    wide("1111 1010 1100 xxxx 1111 xxxx 0110 xxxx", "UHSUB8 T1", three!(Uhsub8)),
    // Saturating arithmetic and selection.
    wide("1111 1010 1000 xxxx 1111 xxxx 1000 xxxx", "QADD T1", three!(Qadd)),
    wide("1111 1010 1000 xxxx 1111 xxxx 1001 xxxx", "QDADD T1", three!(Qdadd)),
    wide("1111 1010 1000 xxxx 1111 xxxx 1010 xxxx", "QSUB T1", three!(Qsub)),
    wide("1111 1010 1000 xxxx 1111 xxxx 1011 xxxx", "QDSUB T1", three!(Qdsub)),
    wide("1111 1010 1010 xxxx 1111 xxxx 1000 xxxx", "SEL T1", three!(Sel)),
    // Multiplications.
    wide("1111 1011 0001 xxxx 1111 xxxx 0000 xxxx", "SMULBB T1", three!(Smulbb)),
    wide("1111 1011 0001 xxxx 1111 xxxx 0001 xxxx", "SMULBT T1", three!(Smulbt)),
    wide("1111 1011 0001 xxxx 1111 xxxx 0010 xxxx", "SMULTB T1", three!(Smultb)),
    wide("1111 1011 0001 xxxx 1111 xxxx 0011 xxxx", "SMULTT T1", three!(Smultt)),
    wide("1111 1011 0001 xxxx xxxx xxxx 0000 xxxx", "SMLABB T1", four!(Smlabb)),
    wide("1111 1011 0001 xxxx xxxx xxxx 0001 xxxx", "SMLABT T1", four!(Smlabt)),
    wide("1111 1011 0001 xxxx xxxx xxxx 0010 xxxx", "SMLATB T1", four!(Smlatb)),
    wide("1111 1011 0001 xxxx xxxx xxxx 0011 xxxx", "SMLATT T1", four!(Smlatt)),
    wide("1111 1011 0010 xxxx 1111 xxxx 0000 xxxx", "SMUAD T1", three!(Smuad)),
    wide("1111 1011 0010 xxxx 1111 xxxx 0001 xxxx", "SMUADX T1", three!(Smuadx)),
    wide("1111 1011 0010 xxxx xxxx xxxx 0000 xxxx", "SMLAD T1", four!(Smlad)),
    wide("1111 1011 0010 xxxx xxxx xxxx 0001 xxxx", "SMLADX T1", four!(Smladx)),
    wide("1111 1011 0011 xxxx 1111 xxxx 0000 xxxx", "SMULWB T1", three!(Smulwb)),
    wide("1111 1011 0011 xxxx 1111 xxxx 0001 xxxx", "SMULWT T1", three!(Smulwt)),
    wide("1111 1011 0011 xxxx xxxx xxxx 0000 xxxx", "SMLAWB T1", four!(Smlawb)),
    wide("1111 1011 0011 xxxx xxxx xxxx 0001 xxxx", "SMLAWT T1", four!(Smlawt)),
    wide("1111 1011 0100 xxxx 1111 xxxx 0000 xxxx", "SMUSD T1", three!(Smusd)),
    wide("1111 1011 0100 xxxx 1111 xxxx 0001 xxxx", "SMUSDX T1", three!(Smusdx)),
    wide("1111 1011 0100 xxxx xxxx xxxx 0000 xxxx", "SMLSD T1", four!(Smlsd)),
    wide("1111 1011 0100 xxxx xxxx xxxx 0001 xxxx", "SMLSDX T1", four!(Smlsdx)),
    wide("1111 1011 0101 xxxx 1111 xxxx 0000 xxxx", "SMMUL T1", three!(Smmul)),
    wide("1111 1011 0101 xxxx 1111 xxxx 0001 xxxx", "SMMULR T1", three!(Smmulr)),
    wide("1111 1011 0101 xxxx xxxx xxxx 0000 xxxx", "SMMLA T1", four!(Smmla)),
    wide("1111 1011 0101 xxxx xxxx xxxx 0001 xxxx", "SMMLAR T1", four!(Smmlar)),
    wide("1111 1011 0110 xxxx xxxx xxxx 0000 xxxx", "SMMLS T1", four!(Smmls)),
    wide("1111 1011 0110 xxxx xxxx xxxx 0001 xxxx", "SMMLSR T1", four!(Smmlsr)),
    wide("1111 1011 0111 xxxx 1111 xxxx 0000 xxxx", "USAD8 T1", three!(Usad8)),
    wide("1111 1011 0111 xxxx xxxx xxxx 0000 xxxx", "USADA8 T1", four!(Usada8)),
    wide("1111 1011 1100 xxxx xxxx xxxx 1000 xxxx", "SMLALBB T1", long!(Smlalbb)),
    wide("1111 1011 1100 xxxx xxxx xxxx 1001 xxxx", "SMLALBT T1", long!(Smlalbt)),
    wide("1111 1011 1100 xxxx xxxx xxxx 1010 xxxx", "SMLALTB T1", long!(Smlaltb)),
    wide("1111 1011 1100 xxxx xxxx xxxx 1011 xxxx", "SMLALTT T1", long!(Smlaltt)),
    wide("1111 1011 1100 xxxx xxxx xxxx 1100 xxxx", "SMLALD T1", long!(Smlald)),
    wide("1111 1011 1100 xxxx xxxx xxxx 1101 xxxx", "SMLALDX T1", long!(Smlaldx)),
    wide("1111 1011 1101 xxxx xxxx xxxx 1100 xxxx", "SMLSLD T1", long!(Smlsld)),
    wide("1111 1011 1101 xxxx xxxx xxxx 1101 xxxx", "SMLSLDX T1", long!(Smlsldx)),
    wide("1111 1011 1110 xxxx xxxx xxxx 0110 xxxx", "UMAAL T1", long!(Umaal)),
];
