//! From flash to blocks: decoding, costs, addresses resolved.

use cyclescope_engine::{Place, Request, Step};
use cyclescope_machine::BlockInstruction;
use cyclescope_machine::units::Address;

use super::Block;
use crate::cpu::{Config, SPH, SPL, SREG};
use crate::decode::{self, Instruction, Op};
use crate::exec;
use crate::hooks::AvrPeripherals;

/// The data address of I/O register 0.
const IO: u16 = 0x20;

/// Builds one block.
pub(crate) struct Builder<'a> {
    request: Request<'a>,
    config: Config,
    instructions: Vec<Instruction>,
    places: Vec<Place<()>>,
    listed: Vec<BlockInstruction>,
    cycles: u32,
    extra: u32,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(request: Request<'a>, config: Config) -> Self {
        let (instructions, places, listed) = (Vec::new(), Vec::new(), Vec::new());
        Self { request, config, instructions, places, listed, cycles: 0, extra: 0 }
    }

    /// The block; `None` behind the end of flash.
    ///
    /// Only the last instruction of a block has cycles that depend on data, so that none wants a mark.
    pub(crate) fn build<P: AvrPeripherals>(mut self) -> Option<Block<P>> {
        let start = self.request.pc;
        let mut pc = start;
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
            if resolved.ends_block() || self.listed.len() >= self.request.limit || self.request.ends_before(pc) {
                break;
            }
        }
        let steps = self.instructions.iter().map(|i| Step::new(*i, exec::handler(i))).collect();
        Some(self.request.finish(steps, self.places, &self.listed, pc, (self.cycles, self.extra), pushes))
    }

    fn flash(&self) -> &[u8] {
        self.request.memory.flash.bytes()
    }

    fn word(&self, pc: u32) -> Option<u16> {
        let bytes = self.flash().get(pc as usize..)?.first_chunk::<2>()?;
        Some(u16::from_le_bytes(*bytes))
    }

    fn push(&mut self, i: Instruction, pc: u32, next_pc: u32) {
        let cost = (self.config.timing.cost)(&i);
        self.request.rows.insert(cost.row);
        if let Some(row) = cost.taken_row {
            self.request.rows.insert(row);
        }
        if i.op == Op::Reti || i.op == Op::Bset && i.rr == 7 {
            self.request.rows.insert(self.config.timing.delay);
        }
        let place = Place {
            pc,
            next_pc,
            before: self.cycles,
            cycles: cost.cycles,
            index: self.listed.len() as u32,
            detail: (),
        };
        if i.undefined_combination().is_some() {
            // It names itself without time, then does what it does.
            self.places.push(Place { cycles: 0, ..place });
            self.instructions.push(Instruction { op: Op::NameUndefined, imm: u32::from(i.op as u8), ..i });
        }
        self.listed.push(BlockInstruction { pc: Address::new(pc), cycles: cost.cycles });
        self.places.push(place);
        self.instructions.push(i);
        self.cycles += cost.cycles;
        self.extra = cost.taken;
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
