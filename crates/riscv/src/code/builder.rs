//! From memory to blocks: decoding, costs, addresses resolved.

use cyclescope_engine::Draft;
use cyclescope_machine::Width;

use super::{Detail, Ends};
use crate::config::{Config, Traps};
use crate::cpu::{After, Cpu};
use crate::decode::{self, Instruction, Op, is_wide};
use crate::exec;
use crate::timing;

/// The effects of an instruction, a `compressed` one, which leaves the core without another for `empty` cycles.
const fn after(compressed: bool, empty: u32) -> After {
    After { compressed, empty: empty as u8, committed: false }
}

/// Builds one block.
pub(crate) struct Builder<'d, 'a> {
    draft: &'d mut Draft<'a, Instruction, Detail>,
    config: Config,
    /// The latest instruction may take cycles that data or memory decide.
    decided: bool,
    taken: u32,
    /// The state that a branch leaves behind which is taken.
    branches: After,
    empty: u32,
}

impl<'d, 'a> Builder<'d, 'a> {
    pub(crate) fn new(draft: &'d mut Draft<'a, Instruction, Detail>, config: Config) -> Self {
        Self { draft, config, decided: false, taken: 0, branches: After::default(), empty: 0 }
    }

    /// Builds it. Returns the address behind it and the ways in which it ends; `None` where no memory holds code.
    pub(crate) fn build(mut self) -> Option<(u32, Ends)> {
        let mut pc = self.draft.pc;
        self.half(pc)?;
        while let Some(first) = self.half(pc) {
            let second = if is_wide(first) { self.half(pc.wrapping_add(2)) } else { Some(0) };
            let next_pc = pc.wrapping_add(if is_wide(first) { 4 } else { 2 });
            let (bits, i) = match second {
                Some(second) => {
                    let bits = u32::from(second) << 16 | u32::from(first);
                    (bits, decode::decode(bits, self.config.extensions))
                }
                None => (0, Instruction::new(Op::FetchFault).imm(pc.wrapping_add(2))),
            };
            let i = self.resolve(i, pc);
            self.push(i, bits, pc, next_pc);
            // What comes next may decide on what this one takes.
            self.mark(pc, next_pc.wrapping_add(2));
            pc = next_pc;
            if i.ends_block() || self.empty > 0 || self.draft.ends_before(pc) {
                break;
            }
        }
        let last = *self.draft.places().last()?;
        let straight = after(last.next_pc.wrapping_sub(last.pc) == 2, self.empty);
        let ends = Ends { taken: self.taken, straight, branches: self.branches };
        self.draft.extra += self.taken;
        Some((pc, ends))
    }

    fn half(&self, pc: u32) -> Option<u16> {
        self.draft.memory.read(pc, Width::Half).map(|half| half as u16)
    }

    /// Has memory notice stores to the code from `pc` to before `end`.
    fn mark(&mut self, pc: u32, end: u32) {
        self.draft.memory.mark_code_at(pc, end.wrapping_sub(pc));
    }

    fn push(&mut self, i: Instruction, bits: u32, pc: u32, next_pc: u32) {
        if self.decided {
            self.draft.mark(|counter| Instruction::new(Op::Mark).imm(counter));
        }
        let timing = self.config.timing;
        let timed = |address| self.draft.memory.timed(address);
        let place = timing::Place {
            pc: timed(pc),
            next_pc: timed(pc).wrapping_add(next_pc.wrapping_sub(pc)),
            next_is_wide: self.half(next_pc).is_some_and(is_wide),
        };
        let cost = (timing.cost)(&i, place);
        self.draft.rows.insert(cost.row);
        let mut cycles = cost.cycles;
        // One that only raises an exception has a boundary before it like any other.
        self.draft.extra += cost.extra.max(u32::from(cost.cycles == 0));
        let mut empty = cost.empty;
        self.decided = cost.extra > 0;
        let jumps = i.is_branch() || i.op == Op::Jal;
        // What is at the target decides; a store there is to be noticed as well.
        let split = match timing.split {
            Some(row) if jumps && timed(i.imm) & 2 != 0 && self.half(i.imm).is_none_or(is_wide) => {
                self.draft.rows.insert(row);
                timing.cycles(row)
            }
            _ => 0,
        };
        if jumps {
            self.mark(i.imm, i.imm.wrapping_add(2));
        }
        if i.is_branch() {
            self.taken = cost.taken + split;
            empty[1] += split;
            if let Some(row) = cost.taken_row {
                self.draft.rows.insert(row);
            }
        } else {
            cycles += split;
            empty[0] += split;
        }
        if matches!(i.op, Op::Jalr | Op::Mret | Op::Retirq) {
            self.draft.extra += timing.split.map_or(0, |row| timing.cycles(row));
        }
        self.empty = empty[0];
        self.branches = after(self.half(next_pc).is_some_and(|half| !is_wide(half)), empty[1]);
        let rd = if i.rd == 0 && i.op != Op::Setq { Instruction::NOWHERE } else { i.rd };
        let op = if self.makes_room(&i, pc) { Op::Push } else { i.op };
        let place = self.draft.place(pc, next_pc, cycles, Detail { bits, taken: self.taken, branches: self.branches });
        if timing.pipeline.is_some() {
            self.draft.step(Instruction::new(Op::Issue), place);
        }
        self.draft.step(Instruction { op, rd, ..i }, place);
        self.draft.retire(&place);
    }

    /// Says whether `i` makes room on the stack, and is not the second half of an address that is loaded into the stack pointer.
    fn makes_room(&self, i: &Instruction, pc: u32) -> bool {
        // LUI and AUIPC of x2.
        const LOADS: [u16; 2] = [0x137, 0x117];
        let lowers = i.op == Op::Addi && i.rd == 2 && i.rs1 == 2 && (i.imm as i32) < 0;
        lowers && !self.half(pc.wrapping_sub(4)).is_some_and(|half| LOADS.contains(&(half & 0xFFF)))
    }

    /// Turns what depends on the instruction's place into absolute addresses, and finds CSRs.
    fn resolve(&self, i: Instruction, pc: u32) -> Instruction {
        match i.op {
            Op::Auipc | Op::Jal | Op::Beq | Op::Bne | Op::Blt | Op::Bge | Op::Bltu | Op::Bgeu => {
                i.imm(pc.wrapping_add(i.imm))
            }
            _ if i.is_csr() => {
                // PicoRV32 knows RDCYCLE and its like, and no other form.
                let reads = i.op == Op::Csrrs && i.rs1 == 0;
                let allowed = reads || matches!(self.config.traps, Traps::Privileged(_));
                match Cpu::csr_row(&self.config, i.imm as u16).filter(|_| allowed) {
                    Some(row) => i.imm(exec::pack(i.imm, row)),
                    None => Instruction::new(Op::Illegal),
                }
            }
            _ => i,
        }
    }
}
