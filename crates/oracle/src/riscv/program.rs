//! Generates random programs for RV32IMC and related sets: straight code, forward branches and jumps, loops that end,
//! and loads and stores inside the data. All rows of the decoder's tables are drawn with equal probability.
//!
//! A program runs from [`ENTRY`] to [`Program::end`]. Some registers are reserved: pointers into the data, a loop
//! counter, a jump's target, and two that only handlers write.

use std::ops::Range;

use cyclescope_riscv::decode::{self, Extensions, Instruction, NARROW, Op, RESERVED, Row, WIDE};

use crate::random::Random;

/// The size of memory from 0: code, and data from [`DATA`] on.
pub const MEMORY_BYTES: usize = 0x1_0000;
/// The start of a program.
pub const ENTRY: u32 = 0x280;
/// The address of a table of trap vectors.
pub const VECTORS: u32 = 0x200;
/// The end of code. Handlers may be below [`VECTORS`].
pub const CODE_END: u32 = 0x6000;
/// The addresses of a device, which no data cache keeps.
pub const DEVICE: Range<u32> = 0xC000_0000..0xC000_1000;
/// The middle of the data that loads and stores reach.
pub const DATA: u32 = 0x8000;
/// The bytes of data.
pub const DATA_BYTES: u32 = 0x2000;

/// A pointer into the data, like [`SECOND`] and the stack pointer.
const FIRST: u32 = 8;
const SECOND: u32 = 9;
const STACK: u32 = 2;
/// The loop counter.
const COUNT: u32 = 7;
/// A jump's target, or a value for a special sequence.
const TARGET: u32 = 5;
/// The registers that handlers may write.
pub const HANDLERS: [u32; 2] = [3, 4];

/// The registers that the program's own instructions may not write.
const KEPT: [u32; 7] = [FIRST, SECOND, STACK, COUNT, TARGET, HANDLERS[0], HANDLERS[1]];

/// One program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Initial memory.
    pub memory: Vec<u8>,
    /// The address of the last instruction, a jump to itself.
    pub end: u32,
}

/// The handler of exceptions, in machine mode.
pub const HANDLER: [u32; 16] = [
    // After a failed fetch: back to x1. mcause is 1: CSRR x3; ADDI x4; BNE to the next.
    0x3420_21F3,
    0x0010_0213,
    0x0041_9863,
    0x3410_9073,
    0x3430_2273,
    0x3020_0073,
    // After an ECALL of user mode: continue in machine mode. ADDI x4, 8; BNE; LUI and ADDI x4, 0x1800; CSRRS mstatus.
    0x0080_0213,
    0x0041_9863,
    0x0000_2237,
    0x8002_0213,
    0x3002_2073,
    // Skips the instruction: CSRR x3, mepc; ADDI; CSRRW; CSRR x4, mtval.
    0x3410_21F3,
    0x0041_8193,
    0x3411_9073,
    0x3430_2273,
    0x3020_0073,
];

impl Program {
    /// Puts `words` at the offset `at`.
    pub fn put(&mut self, at: u32, words: &[u32]) {
        for (place, word) in self.memory[at as usize..].as_chunks_mut::<4>().0.iter_mut().zip(words) {
            *place = word.to_le_bytes();
        }
    }
}

/// Returns the four bytes at the offset `at` of `memory`; zero beyond its end.
pub fn bits_at(memory: &[u8], at: u32) -> u32 {
    let bytes = memory.get(at as usize..).and_then(|bytes| bytes.first_chunk::<4>());
    bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// The parameters of a generator.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The core's extensions.
    pub extensions: Extensions,
    /// The base of memory.
    pub base: u32,
    /// An address without memory.
    pub nowhere: u32,
    /// Tells if programs contain misaligned loads and stores.
    pub misaligned: bool,
    /// Instructions that raise exceptions, for use in programs.
    pub traps: &'static [u32],
    /// Special sequences for use in programs.
    pub special: &'static [Special],
    /// The CSRs that programs may write and read, and those that they only read.
    pub csrs: (&'static [u32], &'static [u32]),
}

/// A sequence of instructions that belong together. It uses register [`TARGET`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// A load from the device or a store to it, including misaligned ones if the core has those.
    Device,
    /// The same at the end of memory, where nothing answers; such instructions have 32 bits.
    Nowhere,
    /// A jump to an address without memory or to the end of memory. The handler returns to x1.
    FetchNowhere,
    /// Enables interrupts of any kind, with mie and mstatus.
    Unmask,
    /// Disables some interrupts, with bits in mie or mstatus.
    Mask,
    /// WFI with all interrupts enabled in mie and any mstatus.
    Sleep,
    /// MRET to the next instruction, in the mode in mstatus.
    Return,
    /// An atomic instruction of any kind, aligned.
    Atomic,
    /// LR, then an aligned SC that may succeed.
    Reserve,
    /// VexRiscv's PMP: an address of a naturally aligned region, then the configuration of four entries. The last four of sixteen may be
    /// locked, and are those of data.
    Protect,
    /// PicoRV32: a load or store in the data, aligned or not.
    PicoMisaligned,
    /// PicoRV32: maskirq, with the interrupts of EBREAK and bus errors enabled.
    PicoMask,
    /// PicoRV32: timer.
    PicoTimer,
    /// PicoRV32: timer and waitirq.
    PicoWait,
    /// PicoRV32: setq and getq.
    PicoQueue,
}

/// A forward branch or jump, with the number of instructions to its target.
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
    /// The instruction with a 12-bit offset from the AUIPC at an address.
    Relative(u32),
}

/// Generates an endless sequence of programs.
#[derive(Clone)]
pub struct Generator {
    kind: Kind,
    random: Random,
    rows: Vec<&'static Row>,
    memory: Vec<u8>,
    pc: u32,
    pending: Vec<Pending>,
    /// The start of the open loop.
    open: Option<u32>,
}

impl std::fmt::Debug for Generator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.kind.fmt(f)
    }
}

impl Generator {
    /// Returns a generator whose programs depend only on `kind` and `seed`.
    pub fn new(kind: Kind, seed: u64) -> Self {
        let runs = |row: &&Row| {
            let i = decode::decode(row.value | rd_one(row), kind.extensions);
            kind.extensions.have(row.extension) && row.name != RESERVED && !is_left_out(&i)
        };
        let rows = WIDE.iter().chain(NARROW).filter(runs).collect();
        Self { kind, random: Random::new(seed), rows, memory: Vec::new(), pc: 0, pending: Vec::new(), open: None }
    }

    /// Returns the next program of about `length` instructions, with `prologue` before it.
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
                FIRST | STACK => self.kind.base + DATA,
                SECOND => self.kind.base + DATA - 0x100,
                _ => self.random.operand(),
            };
            self.set(register, value);
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

    /// Appends one instruction or a special sequence.
    fn instruction(&mut self) {
        let choice = self.random.below(26);
        match choice {
            24..=25 if !self.kind.special.is_empty() => {
                let special = self.random.pick(self.kind.special);
                self.special(special);
            }
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

    /// Counts an instruction for the pending jumps over it.
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
        // The first bit of the offset, the number of bits, and their first place.
        let places: &[(u32, u32, u32)] = match kind {
            Jump::Branch => &[(11, 1, 7), (1, 4, 8), (5, 6, 25), (12, 1, 31)],
            Jump::Jal => &[(12, 8, 12), (11, 1, 20), (1, 10, 21), (20, 1, 31)],
            Jump::CompressedBranch => &[(5, 1, 2), (1, 2, 3), (6, 2, 5), (3, 2, 10), (8, 1, 12)],
            Jump::CompressedJal => {
                &[(5, 1, 2), (1, 3, 3), (7, 1, 6), (6, 1, 7), (10, 1, 8), (8, 2, 9), (4, 1, 11), (11, 1, 12)]
            }
            Jump::Relative(_) => &[(0, 12, 20)],
        };
        let offset = target.wrapping_sub(if let Jump::Relative(from) = kind { from } else { at });
        let more = places.iter().fold(0, |more, (from, count, to)| more | (offset >> from & ((1 << count) - 1)) << to);
        let bytes = if matches!(kind, Jump::CompressedBranch | Jump::CompressedJal) { 2 } else { 4 };
        for (byte, more) in self.memory[at as usize..].iter_mut().zip(more.to_le_bytes()).take(bytes) {
            *byte |= more;
        }
    }

    fn jumps(&mut self, kind: Jump, bits: u32) {
        let at = self.pc;
        self.put(bits, if matches!(kind, Jump::CompressedBranch | Jump::CompressedJal) { 2 } else { 4 });
        self.goes_on(at, kind);
    }

    /// Counts the jump before this place, whose offset is in the instruction at `at`, and chooses its target: right behind it, or some
    /// instructions further.
    fn goes_on(&mut self, at: u32, kind: Jump) {
        self.done();
        let pending = Pending { at, kind, left: self.random.below(6) };
        if pending.left == 0 {
            self.patch(pending, self.pc);
        } else {
            self.pending.push(pending);
        }
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
                self.goes_on(at, Jump::Relative(from));
            }
            _ => self.jumps(Jump::Jal, 0x6F | link << 7),
        }
    }

    /// Appends LUI and ADDI.
    fn set(&mut self, register: u32, value: u32) {
        self.wide(0x37 | register << 7 | value.wrapping_add(0x800) & 0xFFFF_F000);
        self.wide(0x13 | register << 7 | register << 15 | value << 20);
    }

    /// Returns a register that a program may write.
    fn free(&mut self) -> u32 {
        loop {
            let register = self.random.below(32);
            if !KEPT.contains(&register) {
                return register;
            }
        }
    }

    /// Appends a load or store of any width through [`TARGET`], with an offset up to `reach` to both sides, `aligned`
    /// or not.
    fn access(&mut self, reach: u32, aligned: bool) {
        let aligned = aligned || !self.kind.misaligned;
        let register = self.free();
        let offset = self.random.below(2 * reach).wrapping_sub(reach);
        if self.random.one_in(2) {
            let (function, unaligned) = self.random.pick(&[(0, 0), (1, 1), (2, 3), (4, 0), (5, 1)]);
            let offset = if aligned { offset & !unaligned } else { offset };
            self.wide(0x03 | register << 7 | function << 12 | TARGET << 15 | offset << 20);
        } else {
            let (function, unaligned) = self.random.pick(&[(0, 0), (1, 1), (2, 3)]);
            let offset = if aligned { offset & !unaligned } else { offset };
            let places = (offset & 0x1F) << 7 | (offset >> 5 & 0x7F) << 25;
            self.wide(0x23 | places | function << 12 | TARGET << 15 | register << 20);
        }
    }

    fn special(&mut self, special: Special) {
        /// Encodes a CSR instruction: its function, its number, and rs1 or the constant.
        const fn csr(function: u32, number: u32, operand: u32) -> u32 {
            0x73 | function << 12 | operand << 15 | number << 20
        }
        /// Encodes a PicoRV32 instruction: its number, rd and rs1.
        const fn pico(number: u32, rd: u32, rs1: u32) -> u32 {
            0x0B | number << 25 | rs1 << 15 | rd << 7
        }
        let (rd, any) = (self.free(), self.random.bits());
        match special {
            Special::Device => {
                self.set(TARGET, DEVICE.start + 0x800);
                self.access(0x400, false);
            }
            Special::Nowhere => {
                self.set(TARGET, self.kind.nowhere);
                // Cores differ in which half of a misaligned access faults.
                self.access(8, self.kind.base != 0);
            }
            Special::FetchNowhere if self.kind.nowhere != MEMORY_BYTES as u32 => {
                self.set(TARGET, self.kind.nowhere);
                let offset = self.random.below(6);
                self.wide(0x67 | 1 << 7 | TARGET << 15 | offset << 20);
            }
            Special::FetchNowhere => {
                self.set(TARGET, MEMORY_BYTES as u32);
                let offset = self.random.below(7).wrapping_sub(2);
                // The halfword before the end begins a 32-bit instruction: ADDI x1, SH.
                self.wide(0x13 | 1 << 7 | 0x13 << 20);
                self.wide(0x23 | 0x1E << 7 | 1 << 12 | TARGET << 15 | 1 << 20 | 0x7F << 25);
                self.wide(0x67 | 1 << 7 | TARGET << 15 | offset << 20);
            }
            Special::Unmask => {
                let all = self.random.one_in(2);
                self.set(TARGET, if all { 0x7FFF_0888 } else { any });
                self.wide(csr(1, 0x304, TARGET));
                self.wide(csr(6, 0x300, 8));
            }
            Special::Mask => {
                self.set(TARGET, any);
                let number = self.random.pick(&[0x300, 0x304]);
                let word = if number == 0x300 { csr(7, number, 8) } else { csr(3, number, TARGET) };
                self.wide(word);
            }
            Special::Sleep => {
                self.set(TARGET, 0x7FFF_0888);
                self.wide(csr(1, 0x304, TARGET));
                self.wide(0x1050_0073);
            }
            Special::Return => {
                // AUIPC, ADDI, CSRRW mepc, MRET.
                self.wide(0x17 | TARGET << 7);
                self.wide(0x13 | TARGET << 7 | TARGET << 15 | 16 << 20);
                self.wide(csr(1, 0x341, TARGET));
                self.wide(0x3020_0073);
            }
            Special::Atomic => {
                self.set(TARGET, self.kind.base + DATA + (any & 0x3C));
                // AMOADD, AMOSWAP, AMOXOR, AMOOR, AMOAND, AMOMIN, AMOMAX, AMOMINU, AMOMAXU; aq and rl are random.
                let function = self.random.pick(&[0, 1, 4, 8, 12, 16, 20, 24, 28]);
                let order = (any >> 13 & 3) << 25;
                self.wide(0x202F | rd << 7 | TARGET << 15 | (any >> 8 & 31) << 20 | order | function << 27);
            }
            Special::Reserve => {
                let offset = if self.random.one_in(8) { any % 64 } else { any & 0x3C };
                self.set(TARGET, self.kind.base + DATA + offset);
                self.wide(0x1000_202F | rd << 7 | TARGET << 15);
                // ANDI aligns SC's address; in some cases it is another word.
                let mask = if self.random.one_in(4) { 0xFF0 } else { 0xFFC };
                self.wide(0x7013 | TARGET << 7 | TARGET << 15 | mask << 20);
                let rd = self.free();
                self.wide(0x1800_202F | rd << 7 | TARGET << 15 | (any >> 8 & 31) << 20);
            }
            Special::Protect => {
                let entry = self.random.below(16);
                let locks = entry >= 12;
                let size = 0x100 << self.random.below(if locks { 5 } else { 9 });
                let place = if locks { DATA - DATA_BYTES / 2 + any % DATA_BYTES } else { any % MEMORY_BYTES as u32 };
                let (address, all) = ((place & !(size - 1)) >> 2 | (size / 8 - 1), u32::MAX >> 3);
                let whole = !locks && self.random.one_in(4);
                self.set(TARGET, if whole { all } else { address });
                self.wide(csr(1, 0x3B0 + entry, TARGET));
                let mut configuration = [0; 4];
                for (index, byte) in (0..).zip(&mut configuration) {
                    let matching = if self.random.one_in(4) { self.random.below(4) } else { 3 };
                    // A region that is locked before its address is written is undefined.
                    let lock = locks && index == entry % 4 && self.random.one_in(4);
                    *byte = (self.random.below(8) | matching << 3) as u8 | u8::from(lock) << 7;
                }
                self.set(TARGET, u32::from_le_bytes(configuration));
                self.wide(csr(1, 0x3A0 + entry / 4, TARGET));
            }
            Special::PicoMisaligned => {
                self.set(TARGET, DATA + any % 4);
                self.access(0x400, false);
            }
            Special::PicoMask => {
                let all = self.random.one_in(2);
                self.set(TARGET, if all { 0 } else { any & !6 });
                self.wide(pico(3, rd, TARGET));
            }
            Special::PicoTimer => {
                self.set(TARGET, any % 200);
                self.wide(pico(5, rd, TARGET));
            }
            Special::PicoWait => {
                self.set(TARGET, 1 + any % 60);
                self.wide(pico(5, 0, TARGET));
                self.wide(pico(4, rd, 0));
            }
            Special::PicoQueue => {
                let queue = 2 + any % 2;
                self.wide(pico(1, queue, any >> 8 & 31));
                self.wide(pico(0, rd, queue));
            }
        }
        self.done();
    }

    fn open_loop(&mut self) {
        let rounds = 1 + self.random.below(6);
        self.wide(0x13 | COUNT << 7 | rounds << 20);
        self.done();
        self.open = Some(self.pc);
    }

    /// Closes the loop, unless a jump over its end is pending.
    fn close_loop(&mut self) {
        let Some(begin) = self.open.filter(|_| self.pending.is_empty()) else { return self.plain() };
        self.wide(0x13 | COUNT << 7 | COUNT << 15 | 0xFFF << 20);
        let at = self.pc;
        self.wide(0x1063 | COUNT << 15);
        self.patch(Pending { at, kind: Jump::Branch, left: 0 }, begin);
        self.open = None;
    }

    /// Appends an instruction that continues behind itself.
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

    /// Changes `bits` so that they do no harm; `None` if that is impossible.
    fn fit(&mut self, bits: u32, narrow: bool, i: &Instruction) -> Option<u32> {
        if i.op == Op::Illegal || is_left_out(i) || !i.is_store() && KEPT.contains(&u32::from(i.rd)) {
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
            // Accesses through the stack pointer reach up to 252 bytes; the others must use x8 or x9.
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

/// Returns bits for a destination outside the reserved registers and for a compressed instruction's second source, for
/// rows that would be reserved or jumps without them.
fn rd_one(row: &Row) -> u32 {
    0x84 & !row.mask
}

/// Tells if programs leave the operation out, or have it in a form of their own.
fn is_left_out(i: &Instruction) -> bool {
    use Op::{Ebreak, Ecall, Jal, Jalr, LrW, Maskirq, Mret, Retirq, ScW, Setq, Timer, Waitirq, Wfi};
    let jumps_or_traps = matches!(i.op, Jal | Jalr | Ecall | Ebreak | Mret | Wfi);
    i.is_branch() || jumps_or_traps || matches!(i.op, LrW | ScW | Setq | Retirq | Maskirq | Waitirq | Timer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_programs() {
        let kind = Kind {
            extensions: Extensions::IMAC,
            base: 0,
            nowhere: 0x1_0000,
            misaligned: true,
            traps: &[],
            special: &[],
            csrs: (&[0x340], &[0x301]),
        };
        let memory = |seed| Generator::new(kind, seed).program(&[], 500).memory;
        assert_eq!(memory(1), memory(1));
        assert_ne!(memory(1), memory(2));
    }
}
