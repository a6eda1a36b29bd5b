//! Loads and stores, program memory and the stack.

use cyclescope_engine::{Binary, Compare, Lowering, Micro, Place, Value};

use super::{
    LOWEST_SP, RAMPZ, SP, STACK_FLOOR, STILL_AT, STILL_UNTIL, STILL_VALUE, address_of, get, half, join, pair, set,
    set_pair, split,
};
use crate::cpu::{Cpu, DATA_SPACE};
use crate::decode::{Instruction, Op, X, Y, Z};

/// The way in which the pointer of a load or store moves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moves {
    Not,
    Onward,
    Backward,
}

/// Lowers `i`, if it is one of these.
pub(super) fn lower(cpu: &Cpu, i: &Instruction, place: &Place<()>, to: &mut Lowering) -> Option<()> {
    use Moves::{Backward, Not, Onward};
    let (stores, pointer, moves) = match i.op {
        Op::Lds | Op::Sts => {
            if (i.imm as u16) < cpu.config.ram_start {
                return (i.op == Op::Lds && still(cpu, i, place, to)).then_some(());
            }
            (i.op == Op::Sts, None, Not)
        }
        Op::LdX => (false, Some(X), Not),
        Op::LdXInc => (false, Some(X), Onward),
        Op::LdXDec => (false, Some(X), Backward),
        Op::LddY => (false, Some(Y), Not),
        Op::LdYInc => (false, Some(Y), Onward),
        Op::LdYDec => (false, Some(Y), Backward),
        Op::LddZ => (false, Some(Z), Not),
        Op::LdZInc => (false, Some(Z), Onward),
        Op::LdZDec => (false, Some(Z), Backward),
        Op::StX => (true, Some(X), Not),
        Op::StXInc => (true, Some(X), Onward),
        Op::StXDec => (true, Some(X), Backward),
        Op::StdY => (true, Some(Y), Not),
        Op::StYInc => (true, Some(Y), Onward),
        Op::StYDec => (true, Some(Y), Backward),
        Op::StdZ => (true, Some(Z), Not),
        Op::StZInc => (true, Some(Z), Onward),
        Op::StZDec => (true, Some(Z), Backward),
        Op::LpmR0 | Op::Lpm | Op::LpmInc => {
            program_byte(i, false, i.op == Op::LpmInc, to);
            return Some(());
        }
        Op::ElpmR0 | Op::Elpm | Op::ElpmInc => {
            program_byte(i, true, i.op == Op::ElpmInc, to);
            return Some(());
        }
        _ => return stack(i, to),
    };
    let mut address = half(to, i.imm as u16);
    let mut moved = None;
    if let Some(pointer) = pointer {
        let base = pair(to, pointer);
        let one = half(to, 1);
        address = match moves {
            Not if i.op == Op::LdX || i.op == Op::StX => base,
            Not => to.binary(Binary::Add, base, address),
            Onward => {
                moved = Some((pointer, to.binary(Binary::Add, base, one)));
                base
            }
            Backward => {
                let before = to.binary(Binary::Sub, base, one);
                moved = Some((pointer, before));
                before
            }
        };
    }
    let address = in_data_space(to, address);
    if stores {
        let value = get(to, i.rd);
        to.store(address, 1, value);
    }
    let loaded = (!stores).then(|| to.load(address, 1));
    if let Some((pointer, value)) = moved {
        set_pair(to, pointer, value);
    }
    // A loaded register wins over a moved pointer.
    if let Some(value) = loaded {
        set(to, i.rd, value);
    }
    Some(())
}

/// Lowers a read of a register, but of one of the core's: it shows what it has shown before. Tells whether
/// that is so.
fn still(cpu: &Cpu, i: &Instruction, place: &Place<()>, to: &mut Lowering) -> bool {
    let register = i.imm as u16;
    if register < 0x20 || cpu.own(register).is_some() {
        return false;
    }
    let (last, register) = (to.get(STILL_AT), half(to, register));
    let is_another = to.compare(Compare::NotEqual, last, register);
    to.add(Micro::Unless(is_another));
    let behind = u64::from(place.before + cpu.config.timing.cycles(cpu.config.timing.data_phase));
    let (now, behind) = (to.add(Micro::Now), to.add(Micro::Constant(behind, 8)));
    let (at, until) = (to.binary(Binary::Add, now, behind), to.get(STILL_UNTIL));
    let is_over = to.compare(Compare::LessOrEqual, until, at);
    to.add(Micro::Unless(is_over));
    let value = to.get(STILL_VALUE);
    set(to, i.rd, value);
    true
}

/// LPM, or with RAMPZ ELPM, and the way in which Z moves on.
fn program_byte(i: &Instruction, extended: bool, moves: bool, to: &mut Lowering) {
    let z = pair(to, Z);
    let mut address = to.widen(z, 4, false);
    if extended {
        let (high, by) = (to.get(RAMPZ), to.word(16));
        let high = to.widen(high, 4, false);
        let high = to.binary(Binary::ShiftLeft, high, by);
        address = to.binary(Binary::Or, address, high);
    }
    let value = to.add(Micro::Flash(address, 1));
    if moves {
        let (one, by) = (to.word(1), to.word(16));
        let next = to.binary(Binary::Add, address, one);
        let low = to.narrow(next, 2);
        set_pair(to, Z, low);
        if extended {
            let high = to.binary(Binary::ShiftRight, next, by);
            let high = to.narrow(high, 1);
            to.set(RAMPZ, high);
        }
    }
    // A loaded register wins over a moved pointer.
    set(to, i.rd, value);
}

/// PUSH, POP and what reads the stack pointer.
fn stack(i: &Instruction, to: &mut Lowering) -> Option<()> {
    match i.op {
        Op::Push => {
            let place = make_room(to, 1);
            let value = get(to, i.rd);
            to.add(Micro::Store(place, 0, value));
        }
        Op::Pop => {
            let place = take_back(to, 1);
            let value = to.add(Micro::Load(place, 0, 1));
            set(to, i.rd, value);
        }
        Op::InSpl | Op::InSph => {
            let sp = to.get(SP);
            let [low, high] = split(to, sp);
            set(to, i.rd, if i.op == Op::InSpl { low } else { high });
        }
        _ => return None,
    }
    Some(())
}

/// Pushes the byte address `return_to` as words.
pub(super) fn push_pc(cpu: &Cpu, return_to: u32, to: &mut Lowering) {
    let count = cpu.config.pc_bytes;
    let place = make_room(to, count);
    for (number, byte) in (0..count).zip((return_to >> 1).to_le_bytes()) {
        let value = super::byte(to, byte);
        to.add(Micro::Store(place, u16::from(count - 1 - number), value));
    }
}

/// Pops the byte address to go on at.
pub(super) fn pop_pc(cpu: &Cpu, to: &mut Lowering) -> Value {
    let count = cpu.config.pc_bytes;
    let place = take_back(to, count);
    let byte = |to: &mut Lowering, behind: u8| to.add(Micro::Load(place, behind.into(), 1));
    let (low, middle) = (byte(to, count - 1), byte(to, count - 2));
    let word = join(to, low, middle);
    if count == 2 {
        return address_of(to, word);
    }
    let (high, by) = (byte(to, 0), to.word(17));
    let (high, low) = (to.widen(high, 4, false), address_of(to, word));
    let high = to.binary(Binary::ShiftLeft, high, by);
    to.binary(Binary::Or, high, low)
}

/// Moves SP down over `count` bytes of SRAM, all above the floor, and gives the place of the lowest.
fn make_room(to: &mut Lowering, count: u8) -> Value {
    let (sp, floor, by) = (to.get(SP), to.get(STACK_FLOOR), half(to, count.into()));
    let (wide, wide_floor, others) = (to.widen(sp, 4, false), to.widen(floor, 4, false), to.word(u32::from(count) - 1));
    let lowest = to.binary(Binary::Sub, wide, others);
    // A distance below zero is none: the stack pointer has wrapped around.
    let below = to.compare(Compare::LessOrEqualSigned, lowest, wide_floor);
    to.add(Micro::Unless(below));
    let moved = to.binary(Binary::Sub, sp, by);
    to.set(SP, moved);
    let lowest_sp = to.get(LOWEST_SP);
    let lowest_sp = to.binary(Binary::MinUnsigned, lowest_sp, moved);
    to.set(LOWEST_SP, lowest_sp);
    let space = to.word(DATA_SPACE);
    let address = to.binary(Binary::Add, lowest, space);
    to.add(Micro::Ram { address, bytes: 1, count, writes: true })
}

/// Moves SP up over `count` bytes of SRAM, and gives the place of the first.
fn take_back(to: &mut Lowering, count: u8) -> Value {
    let (sp, one, by) = (to.get(SP), half(to, 1), half(to, count.into()));
    let (first, moved) = (to.binary(Binary::Add, sp, one), to.binary(Binary::Add, sp, by));
    let address = in_data_space(to, first);
    let place = to.add(Micro::Ram { address, bytes: 1, count, writes: false });
    to.set(SP, moved);
    place
}

/// The guest's address of a data address.
fn in_data_space(to: &mut Lowering, address: Value) -> Value {
    let (address, space) = (to.widen(address, 4, false), to.word(DATA_SPACE));
    to.binary(Binary::Or, address, space)
}
