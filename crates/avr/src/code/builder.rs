//! From flash to blocks: decoding, costs, addresses resolved.

use cyclescope_engine::{Draft, Place};

use crate::cpu::{Config, SPH, SPL, SREG};
use crate::decode::{self, Instruction, Op};

/// The data address of I/O register 0.
const IO: u16 = 0x20;

/// Builds one block.
pub(crate) struct Builder<'d, 'a> {
    draft: &'d mut Draft<'a, Instruction, ()>,
    config: Config,
}

impl<'d, 'a> Builder<'d, 'a> {
    pub(crate) fn new(draft: &'d mut Draft<'a, Instruction, ()>, config: Config) -> Self {
        Self { draft, config }
    }

    /// Builds it. Returns the address behind it and the bytes that its call pushes; `None` behind the end of flash.
    ///
    /// Only the last instruction of a block has cycles that depend on data, so that none wants a mark.
    pub(crate) fn build(mut self) -> Option<(u32, u8)> {
        let mut pc = self.draft.pc;
        let mut pushes = 0;
        self.word(pc)?;
        while let Some(first) = self.word(pc) {
            let words = decode::words(first);
            let next_pc = pc + 2 * words;
            let i = match if words == 2 { self.word(pc + 2) } else { Some(0) } {
                Some(second) => decode::decode(first, second, self.config.extensions),
                None => Instruction::new(Op::Reserved).imm(Instruction::CUT_OFF),
            };
            let resolved = self.resolve(i, next_pc);
            self.push(resolved, pc, next_pc);
            pc = next_pc;
            if matches!(resolved.op, Op::Call | Op::Rcall | Op::Icall | Op::Eicall) {
                pushes = self.config.pc_bytes;
            }
            if resolved.ends_block() || self.draft.ends_before(pc) {
                break;
            }
        }
        Some((pc, pushes))
    }

    fn flash(&self) -> &[u8] {
        self.draft.memory.flash.bytes()
    }

    fn word(&self, pc: u32) -> Option<u16> {
        let bytes = self.flash().get(pc as usize..)?.first_chunk::<2>()?;
        Some(u16::from_le_bytes(*bytes))
    }

    fn push(&mut self, i: Instruction, pc: u32, next_pc: u32) {
        let cost = (self.config.timing.cost)(&i);
        self.draft.rows.insert(cost.row);
        if let Some(row) = cost.taken_row {
            self.draft.rows.insert(row);
        }
        if i.op == Op::Reti || i.op == Op::Bset && i.rr == 7 {
            self.draft.rows.insert(self.config.timing.delay);
        }
        let place = self.draft.place(pc, next_pc, cost.cycles, ());
        if i.undefined_combination().is_some() {
            // It names itself without time, then does what it does.
            let name = Instruction { op: Op::NameUndefined, imm: u32::from(i.op as u8), ..i };
            self.draft.step(name, Place { cycles: 0, ..place });
        }
        self.draft.step(i, place);
        self.draft.retire(&place);
        self.draft.extra = cost.taken;
    }

    /// Turns what depends on the instruction's place into absolute addresses, and what goes to the core's own registers
    /// into operations of their own.
    fn resolve(&self, i: Instruction, next_pc: u32) -> Instruction {
        if i.is_relative() {
            // The program counter is as wide as flash is large.
            let target = i64::from(next_pc) + i64::from(i.imm as i32);
            return i.imm(target.rem_euclid(self.flash().len().max(2) as i64) as u32);
        }
        if i.is_skip() {
            let skipped = self.word(next_pc).map_or(1, decode::words);
            let looks_at_io = matches!(i.op, Op::Sbic | Op::Sbis);
            let imm = if looks_at_io { i.imm + u32::from(IO) } else { i.imm };
            return Instruction { skipped: skipped as u8, imm, ..i };
        }
        let data_address = (i.imm as u16).wrapping_add(IO);
        match i.op {
            Op::Jmp | Op::Call if i.imm as usize >= self.flash().len() => Instruction { op: Op::Outside, ..i },
            Op::In if data_address == SREG => Instruction { op: Op::InSreg, ..i },
            Op::In if data_address == SPL => Instruction { op: Op::InSpl, ..i },
            Op::In if data_address == SPH => Instruction { op: Op::InSph, ..i },
            Op::Out if data_address == SREG => Instruction { op: Op::OutSreg, ..i },
            Op::Out if data_address == SPL => Instruction { op: Op::OutSpl, ..i },
            Op::Out if data_address == SPH => Instruction { op: Op::OutSph, ..i },
            Op::In | Op::Out | Op::Sbi | Op::Cbi => i.imm(u32::from(data_address)),
            _ => i,
        }
    }
}
