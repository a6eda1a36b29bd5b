//! From memory to blocks: decoding, costs, addresses resolved.

use cyclescope_engine::{Place, Request, Step};
use cyclescope_machine::units::Address;
use cyclescope_machine::{BlockInstruction, Peripherals, Width};

use super::{Block, Encoding, Ends};
use crate::config::{Config, Traps};
use crate::cpu::{After, Cpu};
use crate::decode::{self, Instruction, Op, is_wide};
use crate::exec;
use crate::timing;

/// Builds one block.
pub(crate) struct Builder<'a> {
    request: Request<'a>,
    config: Config,
    instructions: Vec<Instruction>,
    places: Vec<Place<Encoding>>,
    listed: Vec<BlockInstruction>,
    /// The latest instruction may take cycles that data or memory decide.
    decided: bool,
    cycles: u32,
    taken: u32,
    extra: u32,
    empty: [u32; 2],
}

impl<'a> Builder<'a> {
    pub(crate) fn new(request: Request<'a>, config: Config) -> Self {
        Self {
            request,
            config,
            instructions: Vec::new(),
            places: Vec::new(),
            listed: Vec::new(),
            decided: false,
            cycles: 0,
            taken: 0,
            extra: 0,
            empty: [0; 2],
        }
    }

    /// The block; `None` where no memory holds code.
    pub(crate) fn build<P: Peripherals>(mut self) -> Option<Block<P>> {
        let start = self.request.pc;
        let mut pc = start;
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
            if i.ends_block()
                || self.empty[0] > 0
                || self.listed.len() >= self.request.limit
                || self.request.ends_before(pc)
            {
                break;
            }
        }
        let last = self.places.last()?;
        let after = |compressed, empty| After { compressed, empty: empty as u8, committed: false };
        let ends = Ends {
            taken: self.taken,
            straight: after(last.next_pc.wrapping_sub(last.pc) == 2, self.empty[0]),
            branches: after(self.half(pc).is_some_and(|half| !is_wide(half)), self.empty[1]),
        };
        let steps = self.instructions.iter().map(|i| Step::new(*i, exec::handler(i))).collect();
        let cycles = (self.cycles, self.taken + self.extra);
        Some(self.request.finish(steps, self.places, &self.listed, pc, cycles, ends))
    }

    fn half(&self, pc: u32) -> Option<u16> {
        self.request.memory.read(pc, Width::Half).map(|half| half as u16)
    }

    /// Has memory notice stores to the code from `pc` to before `end`.
    fn mark(&mut self, pc: u32, end: u32) {
        self.request.memory.mark_code_at(pc, end.wrapping_sub(pc));
    }

    /// Adds a mark behind the latest instruction, if it wants one.
    fn mark_decided(&mut self) {
        if let (Some(catalog), Some(place)) = (&mut self.request.catalog, self.places.last().filter(|_| self.decided)) {
            self.instructions.push(Instruction::new(Op::Mark).imm(catalog.counter(Address::new(place.pc))));
            self.places.push(*place);
        }
    }

    fn push(&mut self, i: Instruction, bits: u32, pc: u32, next_pc: u32) {
        self.mark_decided();
        let timing = self.config.timing;
        let layout = timing::Layout { pc, next_pc, next_is_wide: self.half(next_pc).is_some_and(is_wide) };
        let cost = (timing.cost)(&i, layout);
        self.request.rows.insert(cost.row);
        let mut cycles = cost.cycles;
        // One that only raises an exception has a boundary before it like any other.
        self.extra += cost.extra.max(u32::from(cost.cycles == 0));
        self.empty = cost.empty;
        self.decided = cost.extra > 0;
        let jumps = i.is_branch() || i.op == Op::Jal;
        // What is at the target decides; a store there is to be noticed as well.
        let split = match timing.split {
            Some(row) if jumps && i.imm & 2 != 0 && self.half(i.imm).is_none_or(is_wide) => {
                self.request.rows.insert(row);
                timing.cycles(row)
            }
            _ => 0,
        };
        if jumps {
            self.mark(i.imm, i.imm.wrapping_add(2));
        }
        if i.is_branch() {
            self.taken = cost.taken + split;
            self.empty[1] += split;
            if let Some(row) = cost.taken_row {
                self.request.rows.insert(row);
            }
        } else {
            cycles += split;
            self.empty[0] += split;
        }
        if matches!(i.op, Op::Jalr | Op::Mret | Op::Retirq) {
            self.extra += timing.split.map_or(0, |row| timing.cycles(row));
        }
        self.places.push(Place {
            pc,
            next_pc,
            before: self.cycles,
            cycles,
            index: self.listed.len() as u32,
            detail: Encoding { bits },
        });
        self.listed.push(BlockInstruction { pc: Address::new(pc), cycles });
        let rd = if i.rd == 0 && i.op != Op::Setq { Instruction::NOWHERE } else { i.rd };
        let op = if self.makes_room(&i, pc) { Op::Push } else { i.op };
        self.instructions.push(Instruction { op, rd, ..i });
        self.cycles += cycles;
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
