//! IT blocks: one to four instructions under a condition, the last of which may leave the chunk.
//!
//! All that the instructions need is made ready before IT. At most one of them relies on what it finds in registers, and
//! none before it in the block writes those. What stays out of IT blocks: what is UNPREDICTABLE there (IT, CBZ, CBNZ, CPS,
//! B T1 and T3, and branches that are not last; DDI 0403E §A7.7); YIELD, after which the peer's run is taken up again;
//! TBB and TBH, whose table is where a skipped one goes on; LDRD (literal), which depends on its alignment; ADD to pc and
//! MOV from pc or sp to pc, which depend on their place; and MSR to CONTROL, which wants FPSCR as it is made ready.

use cyclescope_cortex_m::decode::{Instruction, Op};

use super::Generator;
use super::chunk::{Chunk, Place};
use super::steer::{self, Setting};
use super::transfer::{self, Transfer};

/// Draws until something fits.
const PATIENCE: u32 = 60;
const NOP: (u32, Instruction) = (0xBF00, Instruction::new(Op::Nop));

/// What relies on registers or ends the block.
#[derive(Default)]
struct Ties {
    /// The registers that the instructions so far may write.
    written: u32,
    /// One relies on registers already.
    relied: bool,
}

impl Ties {
    /// Whether `instruction` may come next; if so, takes note of it.
    fn admit(&mut self, bits: u32, instruction: &Instruction, last: bool) -> bool {
        let fits = match instruction.op {
            Op::It | Op::Cps | Op::Yield | Op::LdrdLiteral => false,
            Op::Msr if instruction.imm & 0xFF == 20 => false,
            // The peer begins a new block after them, and tells of the first instruction of a block though it is skipped.
            Op::Isb | Op::Msr | Op::Vmsr => last,
            Op::B if bits < 0x1_0000 => last,
            _ if transfer::branches(instruction) => last && transfer::leaves(instruction, bits),
            _ => true,
        };
        let relies = if transfer::leaves(instruction, bits) {
            Some(transfer::relies_on(instruction)).filter(|registers| *registers != 0)
        } else {
            steer::relies_on(instruction)
        };
        let free = relies.is_none_or(|registers| !self.relied && registers & self.written == 0);
        if fits && free {
            self.relied |= relies.is_some();
            self.written |= steer::may_write(instruction);
        }
        fits && free
    }
}

impl Generator {
    /// Appends the IT block that begins with IT encoded as `bits`.
    pub(super) fn conditional(&mut self, chunk: &mut Chunk, bits: u32, setting: Setting) -> Transfer {
        let count = 4 - (bits & 0xF).trailing_zeros();
        let mut ties = Ties::default();
        let members: Vec<_> = (1..=count).map(|number| self.member(&mut ties, number == count)).collect();
        if members.iter().any(|(_, instruction)| instruction.needs_fpu()) {
            // A context begins before IT, with VMOV R, S0: QEMU would think it begun by one that is skipped; see known.rs.
            chunk.wide(0xEE10_0A10 | self.random.below(8) << 12);
        }
        let relies = |member: &(u32, Instruction)| steer::relies_on(&member.1).is_some();
        let leaves = |member: &(u32, Instruction)| transfer::leaves(&member.1, member.0);
        for (_, instruction) in members.iter().filter(|member| !relies(member) && !leaves(member)) {
            steer::prepare(chunk, instruction, setting, &mut self.random);
        }
        for (_, instruction) in members.iter().filter(|member| relies(member) && !leaves(member)) {
            steer::prepare(chunk, instruction, setting, &mut self.random);
        }
        let leaving = members.last().filter(|member| leaves(member));
        let prepared = leaving.map(|(_, instruction)| transfer::prepare(chunk, instruction, &mut self.random));
        chunk.narrow(bits);
        for (bits, instruction) in &members {
            match prepared {
                Some(prepared) if transfer::leaves(instruction, *bits) => {
                    transfer::leave(chunk, *bits, instruction, prepared);
                }
                _ if instruction.op == Op::B => transfer::skip(chunk, 0xE000, &mut self.random),
                _ => steer::append(chunk, *bits, instruction),
            }
        }
        if prepared.is_none() {
            return Transfer::None;
        }
        // Where the last is skipped another branch goes to the same place, which is near enough for it.
        transfer::near(chunk, &mut self.random);
        Transfer::Leaves(Place::anywhere_in(chunk.place.region, &mut self.random))
    }

    fn member(&mut self, ties: &mut Ties, last: bool) -> (u32, Instruction) {
        let branch = last && self.random.one_in(4);
        for _ in 0..PATIENCE {
            let (bits, instruction) = self.draw();
            if (!branch || transfer::branches(&instruction)) && ties.admit(bits, &instruction, last) {
                return (bits, instruction);
            }
        }
        NOP
    }
}
