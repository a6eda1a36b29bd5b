//! Branches: within a chunk over data, and from a chunk to the next by every way there is.

use cyclescope_cortex_m::decode::{Instruction, Op, Reg};

use super::chunk::{Chunk, Literal, Patch, Place};
use crate::map::{DATA_BYTES, RAM_BASE, Region};
use crate::random::Random;

/// What became of an instruction that was drawn.
#[derive(Clone, Copy, Debug)]
pub enum Transfer {
    /// It is no branch; nothing was appended.
    None,
    /// A branch inside the chunk was appended.
    Stays,
    /// A branch to the next chunk was appended, which goes there.
    Leaves(Place),
}

/// Appends the branch `instruction`, encoded as `bits` where its offset does not matter.
pub fn append(
    chunk: &mut Chunk,
    bits: u32,
    instruction: &Instruction,
    flash_base: u32,
    random: &mut Random,
) -> Transfer {
    let here = chunk.place.region;
    let anywhere = random.pick(&Region::ALL);
    match instruction.op {
        _ if instruction.is_conditional() => {
            if random.one_in(4) {
                chunk.patches.push(Patch::Conditional(chunk.code.len()));
                chunk.narrow(bits);
                near(chunk, random)
            } else {
                skip(chunk, bits, random);
                Transfer::Stays
            }
        }
        Op::B => near(chunk, random),
        Op::Bl => {
            let far = match here {
                Region::Zero => Region::Flash,
                Region::Flash => Region::Zero,
                Region::Ram => Region::Ram,
            };
            // BL reaches 16 MiB.
            let region = if flash_base < 1 << 24 && random.one_in(2) { far } else { here };
            chunk.patches.push(Patch::Link(chunk.code.len()));
            chunk.wide(0xF000_D000);
            Transfer::Leaves(Place::anywhere_in(region, random))
        }
        Op::Bx | Op::Blx => {
            chunk.set(instruction.rm, Literal::Next(1), 0, random);
            chunk.narrow(bits);
            Transfer::Leaves(Place::anywhere_in(anywhere, random))
        }
        Op::MovPc if instruction.rm == Reg::Pc => {
            // To the instruction address plus 4, over one halfword.
            chunk.narrow(bits);
            chunk.narrow(random.bits());
            Transfer::Stays
        }
        Op::MovPc if instruction.rm == Reg::Sp => {
            chunk.set(Reg::Sp, Literal::Next(0), 0, random);
            chunk.narrow(bits);
            Transfer::Leaves(Place { region: anywhere, shifted: false })
        }
        Op::MovPc => {
            // Bit 0 is ignored.
            chunk.set(instruction.rm, Literal::Next(random.below(2)), 0, random);
            chunk.narrow(bits);
            Transfer::Leaves(Place::anywhere_in(anywhere, random))
        }
        Op::AddPc => {
            // Setting a high register takes two instructions, a low one takes one.
            let at = chunk.code.len() + if instruction.rm < Reg::R8 { 1 } else { 2 };
            let sp = instruction.rm == Reg::Sp;
            chunk.set(instruction.rm, Literal::NextLess(at, if sp { 0 } else { random.below(2) }), 0, random);
            chunk.narrow(bits);
            let mut next = Place::anywhere_in(anywhere, random);
            if sp {
                // The stack pointer holds multiples of 4 only.
                next.shifted = chunk.offset(at) & 2 != 0;
            }
            Transfer::Leaves(next)
        }
        Op::PopPc => {
            let below = 4 * instruction.imm.count_ones();
            let top = RAM_BASE + (below + 4 + random.below(DATA_BYTES - below - 3)) / 4 * 4;
            let through = Reg::new(random.below(8));
            chunk.set(Reg::Sp, Literal::Value(top), 0, random);
            chunk.set(through, Literal::Next(1), 0, random);
            chunk.narrow(0xB400 | 1 << through as u32);
            chunk.narrow(0xB080 | (below / 4));
            chunk.narrow(bits);
            Transfer::Leaves(Place::anywhere_in(anywhere, random))
        }
        _ => Transfer::None,
    }
}

/// To the next chunk in the same copy of the image.
pub fn near(chunk: &mut Chunk, random: &mut Random) -> Transfer {
    chunk.patches.push(Patch::Branch(chunk.code.len()));
    chunk.wide(random.bits());
    Transfer::Leaves(Place::anywhere_in(chunk.place.region, random))
}

/// A conditional branch over some halfwords that never execute; what it does not take, an unconditional one does.
fn skip(chunk: &mut Chunk, bits: u32, random: &mut Random) {
    let opcode = bits & 0xFF00;
    match random.below(14) {
        // To the next instruction, backwards from pc + 4.
        13 => chunk.narrow(opcode | 0xFF),
        over => {
            chunk.narrow(opcode | over);
            chunk.narrow(0xE000 | over.wrapping_sub(1) & 0x7FF);
            for _ in 0..over {
                chunk.narrow(random.bits());
            }
        }
    }
}
