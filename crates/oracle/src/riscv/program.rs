//! Random programs for RV32IMC and its relatives: straight code, forward branches and jumps, loops that end, loads and
//! stores that stay in the data. Rows of the decoder's tables are drawn evenly.
//!
//! A program runs from [`ENTRY`] to [`Program::end`]. Some registers are kept for the program itself: pointers into the
//! data, a loop's count, a jump's target, and two that only handlers write.

use cyclescope_riscv::decode::{self, Extensions, Instruction, NARROW, Op, RESERVED, Row, WIDE};

use crate::random::Random;

/// Bytes of memory, from 0: code, and data from [`DATA`] on.
pub const MEMORY_BYTES: usize = 0x1_0000;
/// Where a program begins.
pub const ENTRY: u32 = 0x280;
/// Where a table of trap vectors stands.
pub const VECTORS: u32 = 0x200;
/// Where code ends; below [`VECTORS`] handlers may stand.
pub const CODE_END: u32 = 0x6000;
/// The middle of the data that loads and stores reach.
pub const DATA: u32 = 0x8000;
const DATA_BYTES: u32 = 0x2000;

/// Points into the data: as do [`SECOND`] and the stack pointer.
const FIRST: u32 = 8;
const SECOND: u32 = 9;
const STACK: u32 = 2;
/// Counts a loop's rounds.
const COUNT: u32 = 7;
/// A jump's target.
const TARGET: u32 = 5;
/// What handlers may write.
pub const HANDLERS: [u32; 2] = [3, 4];

/// One program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Memory at the beginning.
    pub memory: Vec<u8>,
    /// The address of the last instruction, a jump to itself.
    pub end: u32,
}

/// What a program is made of.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// What the core has.
    pub extensions: Extensions,
    /// Whether misaligned loads and stores are among it.
    pub misaligned: bool,
    /// Instructions that raise exceptions, which are among it.
    pub traps: &'static [u32],
    /// The CSRs that it may write and read, and those that it only reads.
    pub csrs: (&'static [u32], &'static [u32]),
}

/// A forward branch or jump whose target is so many instructions further.
#[derive(Clone, Copy)]
struct Pending {
    at: u32,
    kind: Jump,
    left: u32,
}

#[derive(Clone, Copy, PartialEq)]
enum Jump {
    Branch,
    Jal,
    CompressedBranch,
    CompressedJal,
    /// The instruction with an offset of 12 bits from the AUIPC at an address.
    Relative(u32),
}

/// Makes programs, for ever.
#[derive(Clone)]
pub struct Generator {
    kind: Kind,
    random: Random,
    rows: Vec<&'static Row>,
    memory: Vec<u8>,
    pc: u32,
    pending: Vec<Pending>,
    /// Where the loop that is open began.
    open: Option<u32>,
}

impl std::fmt::Debug for Generator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.kind.fmt(f)
    }
}

impl Generator {
    /// A generator whose programs follow from `kind` and `seed` alone.
    pub fn new(kind: Kind, seed: u64) -> Self {
        let runs = |row: &&Row| {
            let i = decode::decode(row.value | rd_one(row), kind.extensions);
            kind.extensions.have(row.extension) && row.name != RESERVED && !is_left_out(i.op)
        };
        let rows = WIDE.iter().chain(NARROW).filter(runs).collect();
        Self { kind, random: Random::new(seed), rows, memory: Vec::new(), pc: 0, pending: Vec::new(), open: None }
    }

    /// The next program, of some `length` instructions; `prologue` stands before it.
    pub fn program(&mut self, prologue: &[u32], length: usize) -> Program {
        self.memory = vec![0; MEMORY_BYTES];
        self.pc = ENTRY;
        self.pending.clear();
        self.open = None;
        for byte in &mut self.memory[(DATA - DATA_BYTES / 2) as usize..(DATA + DATA_BYTES / 2) as usize] {
            *byte = self.random.bits() as u8;
        }
        for word in prologue {
            self.wide(*word);
        }
        for register in 1..32 {
            let value = match register {
                FIRST | STACK => DATA,
                SECOND => DATA - 0x100,
                _ => self.random.operand(),
            };
            // LUI and ADDI.
            self.wide(0x37 | register << 7 | value.wrapping_add(0x800) & 0xFFFF_F000);
            self.wide(0x13 | register << 7 | register << 15 | value << 20);
        }
        for _ in 0..length {
            self.instruction();
        }
        while self.open.is_some() || !self.pending.is_empty() {
            self.close_loop();
            if !self.pending.is_empty() {
                self.plain();
            }
        }
        let end = self.pc;
        self.wide(0x6F);
        assert!(self.pc <= CODE_END, "a program fits before the data");
        Program { memory: std::mem::take(&mut self.memory), end }
    }

    fn wide(&mut self, bits: u32) {
        self.put(bits, 4);
    }

    fn put(&mut self, bits: u32, bytes: u32) {
        let at = self.pc as usize;
        self.memory[at..at + bytes as usize].copy_from_slice(&bits.to_le_bytes()[..bytes as usize]);
        self.pc += bytes;
    }

    fn compressed(&self) -> bool {
        self.kind.extensions.c
    }

    /// What comes next: one instruction, or a few that belong together.
    fn instruction(&mut self) {
        let choice = self.random.below(24);
        match choice {
            0..=2 => self.branch(),
            3 => self.jump(),
            7 if !self.kind.traps.is_empty() => {
                let word = self.random.pick(self.kind.traps);
                self.wide(word);
                self.done();
            }
            4 if self.open.is_none() && self.pending.is_empty() => self.open_loop(),
            5..=6 => self.close_loop(),
            _ => self.plain(),
        }
    }

    /// An instruction is done: those that jump over it come nearer.
    fn done(&mut self) {
        let here = self.pc;
        let mut arrived = Vec::new();
        self.pending.retain_mut(|pending| {
            pending.left -= 1;
            if pending.left == 0 {
                arrived.push(*pending);
            }
            pending.left > 0
        });
        for pending in arrived {
            self.patch(pending, here);
        }
    }

    fn patch(&mut self, Pending { at, kind, .. }: Pending, target: u32) {
        let offset = target.wrapping_sub(at);
        let bit = |from: u32, count: u32, to: u32| (offset >> from & ((1 << count) - 1)) << to;
        let more = match kind {
            Jump::Branch => bit(11, 1, 7) | bit(1, 4, 8) | bit(5, 6, 25) | bit(12, 1, 31),
            Jump::Jal => bit(12, 8, 12) | bit(11, 1, 20) | bit(1, 10, 21) | bit(20, 1, 31),
            Jump::CompressedBranch => bit(5, 1, 2) | bit(1, 2, 3) | bit(6, 2, 5) | bit(3, 2, 10) | bit(8, 1, 12),
            Jump::CompressedJal => {
                bit(5, 1, 2)
                    | bit(1, 3, 3)
                    | bit(7, 1, 6)
                    | bit(6, 1, 7)
                    | bit(10, 1, 8)
                    | bit(8, 2, 9)
                    | bit(4, 1, 11)
                    | bit(11, 1, 12)
            }
            Jump::Relative(from) => target.wrapping_sub(from) << 20,
        };
        let bytes = if matches!(kind, Jump::CompressedBranch | Jump::CompressedJal) { 2 } else { 4 };
        for (byte, more) in self.memory[at as usize..].iter_mut().zip(more.to_le_bytes()).take(bytes) {
            *byte |= more;
        }
    }

    fn jumps(&mut self, kind: Jump, bits: u32) {
        let left = 1 + self.random.below(5);
        let at = self.pc;
        self.put(bits, if matches!(kind, Jump::CompressedBranch | Jump::CompressedJal) { 2 } else { 4 });
        self.done();
        self.pending.push(Pending { at, kind, left });
    }

    fn branch(&mut self) {
        if self.compressed() && self.random.one_in(3) {
            let bits = 0xC001 | self.random.below(2) << 13 | self.random.below(8) << 7;
            return self.jumps(Jump::CompressedBranch, bits);
        }
        let function = self.random.pick(&[0, 1, 4, 5, 6, 7]);
        let (first, second) = (self.random.below(32), self.random.below(32));
        self.jumps(Jump::Branch, 0x63 | function << 12 | first << 15 | second << 20);
    }

    fn jump(&mut self) {
        let link = self.random.pick(&[0, 1]);
        match self.random.below(4) {
            0 if self.compressed() => self.jumps(Jump::CompressedJal, if link == 0 { 0xA001 } else { 0x2001 }),
            1 => {
                // AUIPC, then a jump relative to it.
                let from = self.pc;
                self.wide(0x17 | TARGET << 7);
                self.jumps(Jump::Relative(from), 0x67 | link << 7 | TARGET << 15);
            }
            2 if self.compressed() => {
                // AUIPC, ADDI, C.JR or C.JALR.
                let from = self.pc;
                self.wide(0x17 | TARGET << 7);
                let at = self.pc;
                self.wide(0x13 | TARGET << 7 | TARGET << 15);
                self.put(0x8002 | link << 12 | TARGET << 7, 2);
                self.done();
                let left = 1 + self.random.below(5);
                self.pending.push(Pending { at, kind: Jump::Relative(from), left });
            }
            _ => self.jumps(Jump::Jal, 0x6F | link << 7),
        }
    }

    fn open_loop(&mut self) {
        let rounds = 1 + self.random.below(6);
        self.wide(0x13 | COUNT << 7 | rounds << 20);
        self.done();
        self.open = Some(self.pc);
    }

    /// Closes the loop, unless something jumps over its end.
    fn close_loop(&mut self) {
        let Some(begin) = self.open.filter(|_| self.pending.is_empty()) else { return self.plain() };
        self.wide(0x13 | COUNT << 7 | COUNT << 15 | 0xFFF << 20);
        let at = self.pc;
        self.wide(0x1063 | COUNT << 15);
        self.patch(Pending { at, kind: Jump::Branch, left: 0 }, begin);
        self.open = None;
    }

    /// An instruction that goes on behind itself.
    fn plain(&mut self) {
        loop {
            let row = self.random.pick(&self.rows);
            let bits = row.value | self.random.bits() & !row.mask;
            let narrow = row.value & 3 != 3;
            let bits = if narrow { bits & 0xFFFF } else { bits };
            if !decode::row(bits).is_some_and(|other| std::ptr::eq(other, row)) {
                continue;
            }
            let i = decode::decode(bits, self.kind.extensions);
            if let Some(bits) = self.fit(bits, narrow, &i) {
                self.put(bits, if narrow { 2 } else { 4 });
                return self.done();
            }
        }
    }

    /// `bits` so that they do no harm; `None` if they would.
    fn fit(&mut self, bits: u32, narrow: bool, i: &Instruction) -> Option<u32> {
        let kept = [FIRST, SECOND, STACK, COUNT, TARGET, HANDLERS[0], HANDLERS[1]];
        if i.op == Op::Illegal || is_left_out(i.op) || !i.is_store() && kept.contains(&u32::from(i.rd)) {
            return None;
        }
        if i.is_csr() {
            let (written, read) = self.kind.csrs;
            let number = self.random.below((written.len() + read.len()) as u32) as usize;
            let (number, bits) = match written.get(number) {
                Some(number) => (*number, bits),
                // CSRRS with x0 only reads.
                None => (read[number - written.len()], bits & !(0x1F << 15 | 0x7000) | 0x2000),
            };
            return Some(bits & 0x000F_FFFF | number << 20);
        }
        if i.op == Op::Fence {
            // Both registers of a fence are reserved; PicoRV32 writes one.
            return Some(bits & !(0x1F << 7 | 0x1F << 15));
        }
        let touches = i.is_load() || i.is_store() || i.is_atomic();
        if !touches {
            return Some(bits);
        }
        if narrow {
            // Those through the stack pointer reach up to 252 bytes; the others must go through x8 or x9.
            return (u32::from(i.rs1) == STACK || i.rs1 < 10).then_some(bits);
        }
        let base = self.random.pick(&[FIRST, SECOND, STACK]);
        let bits = bits & !(0x1F << 15) | base << 15;
        if i.is_atomic() {
            return Some(bits);
        }
        let unaligned = match i.op {
            Op::Lw | Op::Sw => 3,
            Op::Lh | Op::Lhu | Op::Sh => 1,
            _ => 0,
        };
        if self.kind.misaligned && self.random.one_in(4) {
            return Some(bits);
        }
        let place = if i.is_store() { 7 } else { 20 };
        Some(bits & !(unaligned << place))
    }
}

/// A destination that is none of those kept, for rows that would be reserved without one.
fn rd_one(row: &Row) -> u32 {
    0x80 & !row.mask
}

/// What programs do not have, or have in a form of their own.
fn is_left_out(op: Op) -> bool {
    matches!(
        op,
        Op::Jal
            | Op::Jalr
            | Op::Beq
            | Op::Bne
            | Op::Blt
            | Op::Bge
            | Op::Bltu
            | Op::Bgeu
            | Op::Ecall
            | Op::Ebreak
            | Op::Mret
            | Op::Wfi
            | Op::Setq
            | Op::Retirq
            | Op::Maskirq
            | Op::Waitirq
            | Op::Timer
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_programs() {
        let kind = Kind { extensions: Extensions::IMAC, misaligned: true, traps: &[], csrs: (&[0x340], &[0x301]) };
        let memory = |seed| Generator::new(kind, seed).program(&[], 500).memory;
        assert_eq!(memory(1), memory(1));
        assert_ne!(memory(1), memory(2));
    }
}
