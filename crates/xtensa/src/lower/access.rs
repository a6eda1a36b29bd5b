//! Loads and stores, but those that main RAM does not answer at once.

use cyclescope_engine::{Binary, Lowering, Value};

use super::{float, get, set, set_float};
use crate::decode::{Instruction, Op};

/// Lowers `i`, if it is one of these.
pub(super) fn lower(i: &Instruction, to: &mut Lowering) -> Option<()> {
    let (bytes, signed) = match i.op {
        Op::L8ui | Op::S8i => (1, false),
        Op::L16ui | Op::S16i => (2, false),
        Op::L16si => (2, true),
        Op::L32i | Op::L32ai | Op::L32e | Op::S32i | Op::S32ri | Op::S32e => (4, false),
        _ => return floats(i, to),
    };
    let address = add(i.s, i.imm, to);
    if i.is_store() {
        let value = get(to, i.t);
        let value = if bytes < 4 { to.narrow(value, bytes) } else { value };
        to.store(address, bytes, value);
    } else {
        let value = to.load(address, bytes);
        let value = if bytes < 4 { to.widen(value, 4, signed) } else { value };
        set(to, i.t, value);
    }
    Some(())
}

fn add(register: u8, offset: u32, to: &mut Lowering) -> Value {
    let (base, offset) = (get(to, register), to.word(offset));
    to.binary(Binary::Add, base, offset)
}

/// Those of the floating-point unit. With P in their names they increase the base behind the access.
fn floats(i: &Instruction, to: &mut Lowering) -> Option<()> {
    let is_indexed = match i.op {
        Op::Lsi | Op::Lsip | Op::Ssi | Op::Ssip => false,
        Op::Lsx | Op::Lsxp | Op::Ssx | Op::Ssxp => true,
        _ => return None,
    };
    let sum = if is_indexed {
        let (base, index) = (get(to, i.s), get(to, i.t));
        to.binary(Binary::Add, base, index)
    } else {
        add(i.s, i.imm, to)
    };
    let increases = matches!(i.op, Op::Lsip | Op::Lsxp | Op::Ssip | Op::Ssxp);
    let address = if increases { get(to, i.s) } else { sum };
    let register = if is_indexed { i.r } else { i.t };
    if matches!(i.op, Op::Lsi | Op::Lsip | Op::Lsx | Op::Lsxp) {
        let value = to.load(address, 4);
        set_float(to, register, value);
    } else {
        let value = float(to, register);
        to.store(address, 4, value);
    }
    if increases {
        set(to, i.s, sum);
    }
    Some(())
}
