//! The DSP extension, as far as compilers use it for plain C: extensions, packing, and products of halfwords.

use cyclescope_engine::{Binary, Compare, Lowering, Micro, Value};

use super::data::set;
use super::{SATURATED, get};
use crate::decode::{Dsp, DspOp, Instruction, Op, Reg};

/// Lowers `i`, if it is one of these.
pub(super) fn lower(i: &Instruction, to: &mut Lowering) -> Option<()> {
    if i.op != Op::Dsp || i.rd == Reg::Pc {
        return None;
    }
    let op = Dsp::unpack(i.imm).op;
    let value = match op {
        DspOp::Sxtb | DspOp::Sxth | DspOp::Uxtb | DspOp::Uxth => extended(op, i, to),
        DspOp::Sxtab | DspOp::Sxtah | DspOp::Uxtab | DspOp::Uxtah => {
            let (a, b) = (get(to, i.rn), extended(op, i, to));
            to.binary(Binary::Add, a, b)
        }
        DspOp::Uxtb16 => {
            let (value, mask) = (rotated(i, to), to.word(0x00FF_00FF));
            to.binary(Binary::And, value, mask)
        }
        DspOp::Pkhbt => {
            let (low, high, by) = (get(to, i.rn), get(to, i.rm), to.word(i.imm & 31));
            let high = to.binary(Binary::ShiftLeft, high, by);
            packed(high, low, to)
        }
        DspOp::Pkhtb => {
            let (high, low, by) = (get(to, i.rn), get(to, i.rm), to.word((i.imm & 0xFF).min(31)));
            let low = to.binary(Binary::ShiftRightSigned, low, by);
            packed(high, low, to)
        }
        DspOp::Smulbb | DspOp::Smulbt | DspOp::Smultb | DspOp::Smultt => {
            let product = product(op, i, to);
            to.narrow(product, 4)
        }
        DspOp::Smlabb | DspOp::Smlabt | DspOp::Smlatb | DspOp::Smlatt => {
            let (product, addend) = (product(op, i, to), get(to, Reg::new(i.imm)));
            let addend = to.widen(addend, 8, true);
            let sum = to.binary(Binary::Add, product, addend);
            let value = to.narrow(sum, 4);
            let whole = to.widen(value, 8, true);
            let (overflows, before) = (to.compare(Compare::NotEqual, whole, sum), to.get(SATURATED));
            let saturated = to.binary(Binary::Or, overflows, before);
            to.set(SATURATED, saturated);
            value
        }
        DspOp::Smlalbb | DspOp::Smlalbt | DspOp::Smlaltb | DspOp::Smlaltt => {
            let product = product(op, i, to);
            return accumulated(i, product, to);
        }
        DspOp::Smmul | DspOp::Smmulr => {
            let (a, b) = (get(to, i.rn), get(to, i.rm));
            let (a, b) = (to.widen(a, 8, true), to.widen(b, 8, true));
            let (product, by) = (to.binary(Binary::Mul, a, b), to.add(Micro::Constant(32, 8)));
            let rounding = to.add(Micro::Constant(u64::from(op == DspOp::Smmulr) << 31, 8));
            let product = to.binary(Binary::Add, product, rounding);
            let high = to.binary(Binary::ShiftRight, product, by);
            to.narrow(high, 4)
        }
        DspOp::Umaal => {
            let (a, b, high) = (get(to, i.rn), get(to, i.rm), Reg::new(i.imm));
            let (c, d) = (get(to, i.rd), get(to, high));
            let [a, b, c, d] = [a, b, c, d].map(|value| to.widen(value, 8, false));
            let product = to.binary(Binary::Mul, a, b);
            let sum = to.binary(Binary::Add, product, c);
            let sum = to.binary(Binary::Add, sum, d);
            return set_long(i, sum, to);
        }
        _ => return None,
    };
    set(to, i.rd, value);
    Some(())
}

/// The register `rm`, rotated by what the instruction says.
fn rotated(i: &Instruction, to: &mut Lowering) -> Value {
    let (value, by) = (get(to, i.rm), to.word(i.imm & 0xFF));
    to.binary(Binary::RotateRight, value, by)
}

/// The byte or halfword that `op` extends.
fn extended(op: DspOp, i: &Instruction, to: &mut Lowering) -> Value {
    let bytes = if matches!(op, DspOp::Sxtb | DspOp::Uxtb | DspOp::Sxtab | DspOp::Uxtab) { 1 } else { 2 };
    let signed = matches!(op, DspOp::Sxtb | DspOp::Sxth | DspOp::Sxtab | DspOp::Sxtah);
    let value = rotated(i, to);
    let value = to.narrow(value, bytes);
    to.widen(value, 4, signed)
}

/// The top halfword of one value and the bottom one of another.
fn packed(high: Value, low: Value, to: &mut Lowering) -> Value {
    let (top, bottom) = (to.word(0xFFFF_0000), to.word(0xFFFF));
    let (high, low) = (to.binary(Binary::And, high, top), to.binary(Binary::And, low, bottom));
    to.binary(Binary::Or, high, low)
}

/// The signed product of the halfwords that `op` names, in 8 bytes.
fn product(op: DspOp, i: &Instruction, to: &mut Lowering) -> Value {
    use DspOp::{Smlabt, Smlalbt, Smlaltb, Smlaltt, Smlatb, Smlatt, Smulbt, Smultb, Smultt};
    let n_top = matches!(op, Smultb | Smultt | Smlatb | Smlatt | Smlaltb | Smlaltt);
    let m_top = matches!(op, Smulbt | Smultt | Smlabt | Smlatt | Smlalbt | Smlaltt);
    let [a, b] = [(i.rn, n_top), (i.rm, m_top)].map(|(register, top)| {
        let (value, by) = (get(to, register), to.word(if top { 16 } else { 0 }));
        let value = to.binary(Binary::ShiftRight, value, by);
        let value = to.narrow(value, 2);
        to.widen(value, 8, true)
    });
    to.binary(Binary::Mul, a, b)
}

/// Adds 8 bytes to the two registers of a long result.
fn accumulated(i: &Instruction, addend: Value, to: &mut Lowering) -> Option<()> {
    let (low, high, by) = (get(to, i.rd), get(to, Reg::new(i.imm)), to.add(Micro::Constant(32, 8)));
    let (low, high) = (to.widen(low, 8, false), to.widen(high, 8, false));
    let high = to.binary(Binary::ShiftLeft, high, by);
    let old = to.binary(Binary::Or, high, low);
    let sum = to.binary(Binary::Add, old, addend);
    set_long(i, sum, to)
}

/// Writes 8 bytes to the two registers of a long result.
fn set_long(i: &Instruction, value: Value, to: &mut Lowering) -> Option<()> {
    let (low, by) = (to.narrow(value, 4), to.add(Micro::Constant(32, 8)));
    set(to, i.rd, low);
    let high = to.binary(Binary::ShiftRight, value, by);
    let high = to.narrow(high, 4);
    set(to, Reg::new(i.imm), high);
    Some(())
}
