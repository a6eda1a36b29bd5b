//! Moves, loads and stores of the floating-point extension. The first such instruction of a context is its body's.

use cyclescope_engine::{Binary, Lowering, Micro, Value};

use super::access::{saves_no_context, words};
use super::data::{set, set_base};
use super::{FP_READY, SINGLES, get};
use crate::decode::{Fp, FpAccess, FpOp, Instruction, Op, Reg};

/// Lowers `i`, if it is one of these.
pub(super) fn lower(i: &Instruction, to: &mut Lowering) -> Option<()> {
    // Nobody's registers: such encodings are unpredictable.
    if matches!(i.op, Op::VmovToCore | Op::VmovPairToCore) && (i.rd == Reg::Pc || i.rn == Reg::Pc) {
        return None;
    }
    let unready = to.get(FP_READY);
    let unready = to.not(unready);
    to.add(Micro::Unless(unready));
    match i.op {
        Op::VmovToCore => {
            let value = single(to, i.imm);
            set(to, i.rd, value);
        }
        Op::VmovFromCore => {
            let value = get(to, i.rd);
            set_single(to, i.imm, value);
        }
        Op::VmovPairToCore => {
            let (low, high) = (single(to, i.imm), single(to, i.imm + 1));
            set(to, i.rd, low);
            set(to, i.rn, high);
        }
        Op::VmovPairFromCore => {
            let (low, high) = (get(to, i.rd), get(to, i.rn));
            set_single(to, i.imm, low);
            set_single(to, i.imm + 1, high);
        }
        Op::Fp => {
            let Fp { op, d, m, .. } = Fp::unpack(i.imm);
            let sign = 1 << 31;
            let value = match op {
                FpOp::Mov => single(to, m),
                FpOp::MovImm => to.word(crate::float::expand_imm(m as u8)),
                FpOp::Abs => {
                    let (value, mask) = (single(to, m), to.word(!sign));
                    to.binary(Binary::And, value, mask)
                }
                FpOp::Neg => {
                    let (value, mask) = (single(to, m), to.word(sign));
                    to.binary(Binary::Xor, value, mask)
                }
                _ => return None,
            };
            set_single(to, d, value);
        }
        Op::Vldr | Op::Vstr => {
            let (base, offset) = (get(to, i.rn), to.word(FpAccess::unpack(i.imm).offset as u32));
            let address = to.binary(Binary::Add, base, offset);
            move_singles(to, i, address, i.op == Op::Vstr)?;
        }
        Op::Vldm | Op::Vstm => {
            let FpAccess { count, writes_base, before, .. } = FpAccess::unpack(i.imm);
            let (base, bytes) = (get(to, i.rn), to.word(4 * count));
            let below = to.binary(Binary::Sub, base, bytes);
            let (address, moved) = if before { (below, below) } else { (base, to.binary(Binary::Add, base, bytes)) };
            if i.op == Op::Vstm && i.rn != Reg::Sp {
                saves_no_context(to, address);
            }
            move_singles(to, i, address, i.op == Op::Vstm)?;
            if writes_base {
                set_base(to, i.rn, moved);
            }
        }
        _ => return None,
    }
    Some(())
}

/// Moves the singles of `i` between RAM and the registers.
fn move_singles(to: &mut Lowering, i: &Instruction, address: Value, stores: bool) -> Option<()> {
    let FpAccess { first, count, .. } = FpAccess::unpack(i.imm);
    if count == 0 || first + count > 32 {
        return None;
    }
    let place = words(to, address, count as u8, stores);
    for (number, offset) in (first..first + count).zip((0..).step_by(4)) {
        if stores {
            let value = single(to, number);
            to.add(Micro::Store(place, offset, value));
        } else {
            let value = to.add(Micro::Load(place, offset, 4));
            set_single(to, number, value);
        }
    }
    Some(())
}

fn single(to: &mut Lowering, number: u32) -> Value {
    to.get(SINGLES + (number & 31) as u8)
}

fn set_single(to: &mut Lowering, number: u32, value: Value) {
    to.set(SINGLES + (number & 31) as u8, value);
}
