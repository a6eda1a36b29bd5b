//! Generates IT blocks: one to four instructions under a condition, the last of which may leave the chunk.
//!
//! The preparation of all instructions precedes IT. At most one of them relies on prepared registers, and none before
//! it in the block writes those. Left out of IT blocks are: UNPREDICTABLE forms (IT, CBZ, CBNZ, CPS, B T1 and T3, and
//! branches that are not last; DDI 0403E §A7.7); YIELD, after which the peer's run is resumed; TBB and TBH, because a
//! skipped one would continue in its table; LDRD (literal), which depends on its alignment; ADD to pc and MOV from pc
//! or sp to pc, which depend on their address; and MSR to CONTROL, which needs FPSCR prepared.

use cyclescope_cortex_m::decode::{Instruction, Op};

use super::Generator;
use super::chunk::{Chunk, Place};
use super::steer::{self, Setting};
use super::transfer::{self, Transfer};

/// The number of draws before it gives up.
const PATIENCE: u32 = 60;
const NOP: (u32, Instruction) = (0xBF00, Instruction::new(Op::Nop));

/// The dependencies of the instructions so far.
#[derive(Default)]
struct Dependencies {
    /// The registers that they may write.
    written: u32,
    /// Tells if one already relies on registers.
    relied: bool,
}

impl Dependencies {
    /// Tells if `instruction` may come next, and then records it.
    fn admit(&mut self, bits: u32, instruction: &Instruction, last: bool) -> bool {
        let fits = match instruction.op {
            Op::It | Op::Cps | Op::Yield | Op::LdrdLiteral => false,
            Op::Msr if instruction.imm & 0xFF == 20 => false,
            // The peer begins a new block after these, and reports the first instruction of a block even if it is
            // skipped.
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
        let mut ties = Dependencies::default();
        let members: Vec<_> = (1..=count).map(|number| self.member(&mut ties, number == count)).collect();
        if members.iter().any(|(_, instruction)| instruction.needs_fpu()) {
            // A floating-point context begins before IT, with VMOV R, S0: QEMU would take a skipped instruction for its
            // start (see the known defects).
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
        // If the last one is skipped, another branch goes to the same place, near enough for it.
        transfer::near(chunk, &mut self.random);
        Transfer::Leaves(Place::anywhere_in(chunk.place.region, &mut self.random))
    }

    fn member(&mut self, ties: &mut Dependencies, last: bool) -> (u32, Instruction) {
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
