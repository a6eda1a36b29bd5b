//! Generates branches: inside a chunk over data, and from a chunk to the next in every possible way.

use cyclescope_cortex_m::decode::{Index, Indexed, Instruction, Multiple, Op, Reg};

use super::chunk::{Chunk, Literal, Patch, Place, Spot};
use super::steer::Setting;
use crate::arm::map::{DATA_BYTES, RAM_BASE, Region};
use crate::random::Random;

/// The result for a drawn instruction.
#[derive(Clone, Copy, Debug)]
pub enum Transfer {
    /// It is no branch; nothing was appended.
    None,
    /// A branch inside the chunk was appended.
    Stays,
    /// A branch to the next chunk, at this place, was appended.
    Leaves(Place),
}

/// Appends the branch `instruction`, encoded as `bits` if its offset does not matter.
pub fn append(
    chunk: &mut Chunk,
    bits: u32,
    instruction: &Instruction,
    setting: Setting,
    random: &mut Random,
) -> Transfer {
    let here = chunk.place.region;
    match instruction.op {
        _ if instruction.is_conditional() => {
            let wide = bits > 0xFFFF;
            if random.one_in(4) {
                let at = chunk.code.len();
                chunk.patches.push(if wide { Patch::WideConditional(at) } else { Patch::Conditional(at) });
                chunk.instruction(bits);
                near(chunk, random)
            } else {
                if wide {
                    skip_wide(chunk, bits, random)
                } else {
                    skip(chunk, bits & 0xFF00, random)
                }
                Transfer::Stays
            }
        }
        Op::Cbz | Op::Cbnz => {
            let value = if random.one_in(2) { 0 } else { random.operand() };
            chunk.set(instruction.rn, Literal::Value(value), 0, random);
            compare_and_skip(chunk, bits, random);
            Transfer::Stays
        }
        Op::B if bits < 0x1_0000 => near(chunk, random),
        Op::MovPc if instruction.rm == Reg::Pc => {
            // A branch to the instruction's address plus 4, over one halfword.
            chunk.narrow(bits);
            chunk.narrow(random.bits());
            Transfer::Stays
        }
        Op::MovPc if instruction.rm == Reg::Sp => {
            chunk.set(Reg::Sp, Literal::Next(0), 0, random);
            chunk.narrow(bits);
            Transfer::Leaves(Place { region: random.pick(&Region::ALL), shifted: false })
        }
        Op::AddPc => {
            let label = chunk.label();
            let sp = instruction.rm == Reg::Sp;
            let literal = Literal::NextLess(label, if sp { 0 } else { random.below(2) });
            chunk.set(instruction.rm, literal, 0, random);
            chunk.put(label);
            chunk.narrow(bits);
            let mut next = Place::anywhere_in(random.pick(&Region::ALL), random);
            if sp {
                // The stack pointer holds only multiples of 4.
                next.shifted = chunk.offset(chunk.index_of(label)) & 2 != 0;
            }
            Transfer::Leaves(next)
        }
        Op::Tbb | Op::Tbh => {
            table(chunk, bits, instruction, random);
            Transfer::Stays
        }
        _ if leaves(instruction, bits) => {
            let region = if matches!(instruction.op, Op::B | Op::Bl) {
                let far = match here {
                    Region::Zero => Region::Flash,
                    Region::Flash => Region::Zero,
                    Region::Ram => Region::Ram,
                };
                // These reach 16 MiB.
                if setting.flash_base < 1 << 24 && random.one_in(2) { far } else { here }
            } else {
                random.pick(&Region::ALL)
            };
            let prepared = prepare(chunk, instruction, random);
            leave(chunk, bits, instruction, prepared);
            Transfer::Leaves(Place::anywhere_in(region, random))
        }
        _ => Transfer::None,
    }
}

/// Tells if an instruction, once prepared, goes to the next chunk from any address: these may end an IT block.
pub fn leaves(instruction: &Instruction, bits: u32) -> bool {
    match instruction.op {
        Op::B => bits > 0xFFFF,
        Op::MovPc => instruction.rm != Reg::Pc && instruction.rm != Reg::Sp,
        Op::Bl | Op::Bx | Op::Blx => true,
        _ => instruction.loads_pc(),
    }
}

/// Tells if it is a branch.
pub fn branches(instruction: &Instruction) -> bool {
    use Op::{AddPc, B, Bl, Blx, Bx, Cbnz, Cbz, MovPc, Tbb, Tbh};
    instruction.is_conditional()
        || instruction.loads_pc()
        || matches!(instruction.op, B | Bl | Bx | Blx | MovPc | AddPc | Cbz | Cbnz | Tbb | Tbh)
}

/// Returns the registers that determine the target of a leaving instruction, as a bit set.
pub fn relies_on(instruction: &Instruction) -> u32 {
    let bit = |register: Reg| 1u32 << register as u32;
    match instruction.op {
        Op::Bx | Op::Blx | Op::MovPc => bit(instruction.rm),
        Op::LdrPcImm | Op::LdrPcIndexed | Op::LdmPc => bit(instruction.rn),
        Op::LdrPcReg => bit(instruction.rn) | bit(instruction.rm),
        _ => 0,
    }
}

/// The result of [`prepare`] that [`leave`] needs.
#[derive(Clone, Copy, Debug)]
pub struct Prepared(Option<usize>);

/// Sets the registers that determine the target of a leaving instruction.
pub fn prepare(chunk: &mut Chunk, instruction: &Instruction, random: &mut Random) -> Prepared {
    let Instruction { op, rn, rm, imm, .. } = *instruction;
    match op {
        Op::Bx | Op::Blx => chunk.set(rm, Literal::Next(1), 0, random),
        // Bit 0 is ignored.
        Op::MovPc => chunk.set(rm, Literal::Next(random.below(2)), 0, random),
        Op::LdmPc if pops(instruction) => pop(chunk, Multiple::listed(imm) - 1, random),
        Op::LdmPc => {
            let (listed, before) = (Multiple::listed(imm), Multiple::unpack(imm).before);
            let bytes = 4 * listed;
            let first = chunk.literals.len();
            for _ in 1..listed {
                chunk.word(Literal::Value(random.operand()));
            }
            chunk.word(Literal::Next(1));
            let less = if before { bytes.wrapping_neg() } else { 0 };
            chunk.set(rn, Literal::Here { spot: Spot::Pool(first), less, share: 1 }, 0, random);
        }
        Op::LdrPcImm | Op::LdrPcIndexed | Op::LdrPcReg => through_pool(chunk, instruction, Literal::Next(1), random),
        Op::LdrPcLiteral => return Prepared(Some(chunk.word(Literal::Next(1)))),
        _ => {}
    }
    Prepared(None)
}

/// Sets the registers of a word load so that it loads `literal` from the pool.
pub fn through_pool(chunk: &mut Chunk, instruction: &Instruction, literal: Literal, random: &mut Random) {
    let Instruction { op, rn, rm, imm, .. } = *instruction;
    let spot = Spot::Pool(chunk.word(literal));
    let less = match op {
        Op::LdrPcReg | Op::LdrReg => {
            let shift = imm & 3;
            if rn == rm {
                chunk.set(rn, Literal::Here { spot, less: 0, share: 1 + (1 << shift) }, 0, random);
            } else {
                // The stack pointer, as a base, is a multiple of 4.
                let offset = random.operand() & if rn == Reg::Sp { !3 } else { !0 };
                chunk.set(rn, Literal::Here { spot, less: offset << shift, share: 1 }, 0, random);
                chunk.set(rm, Literal::Value(offset), 1 << rn as u32, random);
            }
            return;
        }
        Op::LdrPcIndexed | Op::LdrIndexed => {
            let Indexed { offset, index } = Indexed::unpack(imm);
            if index == Index::Post { 0 } else { offset as u32 }
        }
        _ => imm,
    };
    chunk.set(rn, Literal::Here { spot, less, share: 1 }, 0, random);
}

/// Appends a prepared leaving instruction.
pub fn leave(chunk: &mut Chunk, bits: u32, instruction: &Instruction, prepared: Prepared) {
    let at = chunk.code.len();
    match instruction.op {
        Op::B => chunk.patches.push(Patch::Wide(at)),
        Op::Bl => chunk.patches.push(Patch::Link(at)),
        _ => {}
    }
    if let Prepared(Some(word)) = prepared {
        chunk.patches.push(Patch::Pool(at, word));
    }
    chunk.instruction(bits);
}

/// Tells whether it is POP with PC.
fn pops(i: &Instruction) -> bool {
    let Multiple { writes_base, before, .. } = Multiple::unpack(i.imm);
    i.rn == Reg::Sp && writes_base && !before
}

/// Puts the next chunk's address on a stack, above `words` others.
fn pop(chunk: &mut Chunk, words: u32, random: &mut Random) {
    let below = 4 * words;
    let top = RAM_BASE + (below + 4 + random.below(DATA_BYTES - below - 3)) / 4 * 4;
    let through = Reg::new(random.below(8));
    chunk.set(Reg::Sp, Literal::Value(top), 0, random);
    chunk.set(through, Literal::Next(1), 0, random);
    chunk.narrow(0xB400 | 1 << through as u32);
    chunk.narrow(0xB080 | (below / 4));
}

/// Goes to the next chunk in the same region.
pub fn near(chunk: &mut Chunk, random: &mut Random) -> Transfer {
    chunk.patches.push(Patch::Branch(chunk.code.len()));
    chunk.wide(random.bits());
    Transfer::Leaves(Place::anywhere_in(chunk.place.region, random))
}

/// Appends a conditional branch over some halfwords that never execute. If it is not taken, an unconditional branch
/// does the same. `opcode` has its offset in its low bits: eight, or eleven without a condition.
pub fn skip(chunk: &mut Chunk, opcode: u32, random: &mut Random) {
    match random.below(14) {
        // To the next instruction, backwards from pc + 4.
        13 if opcode < 0xE000 => chunk.narrow(opcode | 0xFF),
        over => {
            chunk.narrow(opcode | over);
            fill(chunk, over, random);
        }
    }
}

/// Appends the same with B T3.
fn skip_wide(chunk: &mut Chunk, bits: u32, random: &mut Random) {
    let over = random.below(14);
    // The unconditional one stands where an offset of 0 leads.
    chunk.wide(bits & 0xFBC0_D000 & !(1 << 26) | 0x8000 | (over + 1));
    fill(chunk, over, random);
}

/// Appends the same with CBZ or CBNZ, which go only forwards and at most 63 halfwords.
fn compare_and_skip(chunk: &mut Chunk, bits: u32, random: &mut Random) {
    let over = if random.one_in(4) { random.below(64) } else { random.below(8) };
    chunk.narrow(bits & 0xFD07 | (over >> 5) << 9 | (over & 31) << 3);
    fill(chunk, over, random);
}

/// Appends B over the rest of `over` halfwords, then `over` halfwords: an offset of `over` right before it skips them.
fn fill(chunk: &mut Chunk, over: u32, random: &mut Random) {
    chunk.narrow(0xE000 | over.wrapping_sub(1) & 0x7FF);
    for _ in 0..over {
        chunk.narrow(random.bits());
    }
}

/// Appends TBB or TBH with its table right after it and some halfwords that never execute behind the table.
fn table(chunk: &mut Chunk, bits: u32, instruction: &Instruction, random: &mut Random) {
    let Instruction { op, rn, rm, .. } = *instruction;
    let size = if op == Op::Tbb { 1 } else { 2 };
    let entries = 1 + random.below(6);
    let halfwords = (size * entries).div_ceil(2);
    let extra = random.below(4);
    let label = chunk.label();
    let entry = if rn == rm {
        // Base and index are one register: the first entry is at two or three times its value.
        chunk.set(rn, Literal::Here { spot: Spot::Code(label), less: 0, share: 1 + size }, 0, random);
        0
    } else {
        let entry = random.below(entries);
        // pc is at the table.
        let index = if rn == Reg::Pc { entry } else { random.operand() };
        if rn != Reg::Pc {
            let less = size.wrapping_mul(index.wrapping_sub(entry));
            chunk.set(rn, Literal::Here { spot: Spot::Code(label), less, share: 1 }, 0, random);
        }
        chunk.set(rm, Literal::Value(index), if rn == Reg::Pc { 0 } else { 1 << rn as u32 }, random);
        entry
    };
    chunk.wide(bits);
    chunk.put(label);
    let distance = halfwords + extra;
    for halfword in 0..halfwords {
        let other = random.bits() & 0xFFFF;
        chunk.narrow(match (halfword == size * entry / 2, op) {
            (false, _) => other,
            (true, Op::Tbh) => distance,
            (true, _) if entry & 1 == 0 => other & 0xFF00 | distance,
            (true, _) => other & 0xFF | distance << 8,
        });
    }
    for _ in 0..extra {
        chunk.narrow(random.bits());
    }
}
