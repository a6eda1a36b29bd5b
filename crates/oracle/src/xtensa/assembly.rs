//! An assembler for what surrounds random instructions: encodings by chapter 7 of the Xtensa ISA Reference Manual,
//! RC-2010.1, written down apart from the decoder's tables.

/// Numbers of special registers (table 5–127).
pub mod special {
    pub const LBEG: u32 = 0;
    pub const LEND: u32 = 1;
    pub const LCOUNT: u32 = 2;
    pub const SAR: u32 = 3;
    pub const LITBASE: u32 = 5;
    pub const SCOMPARE1: u32 = 12;
    pub const WINDOWBASE: u32 = 72;
    pub const WINDOWSTART: u32 = 73;
    pub const EPC: u32 = 176;
    pub const DEPC: u32 = 192;
    pub const EXCSAVE: u32 = 208;
    pub const CPENABLE: u32 = 224;
    pub const INTSET: u32 = 226;
    pub const INTCLEAR: u32 = 227;
    pub const INTENABLE: u32 = 228;
    pub const PS: u32 = 230;
    pub const VECBASE: u32 = 231;
    pub const EXCCAUSE: u32 = 232;
}

const fn rrr(op2: u32, op1: u32, r: u32, s: u32, t: u32) -> u32 {
    op2 << 20 | op1 << 16 | r << 12 | s << 8 | t << 4
}

const fn rri8(op0: u32, r: u32, s: u32, t: u32, imm8: u32) -> u32 {
    (imm8 & 0xFF) << 16 | r << 12 | s << 8 | t << 4 | op0
}

pub const RSYNC: u32 = 0x2010;
pub const RFE: u32 = 0x3000;
pub const RFDE: u32 = 0x3200;
pub const RFWO: u32 = 0x3400;
pub const RFWU: u32 = 0x3500;
pub const SYSCALL: u32 = 0x5000;
pub const SIMCALL: u32 = 0x5100;
pub const RET: u32 = 0x80;
pub const RETW: u32 = 0x90;
pub const RETW_N: u32 = 0xF01D;

pub const fn rfi(level: u32) -> u32 {
    0x3010 | level << 8
}

pub const fn waiti(level: u32) -> u32 {
    0x7000 | level << 8
}

pub const fn rsil(t: u32, level: u32) -> u32 {
    0x6000 | level << 8 | t << 4
}

pub const fn break_(s: u32, t: u32) -> u32 {
    0x4000 | s << 8 | t << 4
}

pub const fn movi(t: u32, value: i32) -> u32 {
    rri8(2, 0xA, value as u32 >> 8 & 15, t, value as u32)
}

pub const fn addi(t: u32, s: u32, value: i32) -> u32 {
    rri8(2, 0xC, s, t, value as u32)
}

pub const fn sub(r: u32, s: u32, t: u32) -> u32 {
    rrr(12, 0, r, s, t)
}

pub const fn ssl(s: u32) -> u32 {
    0x0040_1000 | s << 8
}

pub const fn sll(r: u32, s: u32) -> u32 {
    rrr(10, 1, r, s, 0)
}

/// The bit `shift` of `t`, in `r`.
pub const fn bit(r: u32, t: u32, shift: u32) -> u32 {
    0x0004_0000 | r << 12 | (shift & 15) << 8 | (shift >> 4) << 16 | t << 4
}

pub const fn l8ui(t: u32, s: u32, offset: u32) -> u32 {
    rri8(2, 0, s, t, offset)
}

pub const fn l32i(t: u32, s: u32, offset: u32) -> u32 {
    rri8(2, 2, s, t, offset >> 2)
}

pub const fn s32i(t: u32, s: u32, offset: u32) -> u32 {
    rri8(2, 6, s, t, offset >> 2)
}

pub const fn l32e(t: u32, s: u32, offset: i32) -> u32 {
    rrr(0, 9, (offset + 64) as u32 >> 2, s, t)
}

pub const fn s32e(t: u32, s: u32, offset: i32) -> u32 {
    rrr(4, 9, (offset + 64) as u32 >> 2, s, t)
}

pub const fn rsr(t: u32, special: u32) -> u32 {
    0x0003_0000 | special << 8 | t << 4
}

pub const fn wsr(t: u32, special: u32) -> u32 {
    0x0013_0000 | special << 8 | t << 4
}

pub const fn xsr(t: u32, special: u32) -> u32 {
    0x0061_0000 | special << 8 | t << 4
}

pub const fn wur(t: u32, user: u32) -> u32 {
    0x00F3_0000 | user << 8 | t << 4
}

pub const fn wfr(r: u32, s: u32) -> u32 {
    0x00FA_0050 | r << 12 | s << 8
}

pub const fn rotw(by: i32) -> u32 {
    0x0040_8000 | (by as u32 & 15) << 4
}

pub const fn entry(s: u32, bytes: u32) -> u32 {
    (bytes >> 3) << 12 | s << 8 | 0x36
}

pub const fn jx(s: u32) -> u32 {
    0xA0 | s << 8
}

/// CALLX0, CALLX4, CALLX8 or CALLX12.
pub const fn callx(window: u32, s: u32) -> u32 {
    0xC0 | window << 4 | s << 8
}

pub const fn beqz(s: u32, pc: u32, target: u32) -> u32 {
    (target.wrapping_sub(pc + 4) & 0xFFF) << 12 | s << 8 | 0x16
}

pub const fn bnez(s: u32, pc: u32, target: u32) -> u32 {
    (target.wrapping_sub(pc + 4) & 0xFFF) << 12 | s << 8 | 0x56
}

pub const fn j(pc: u32, target: u32) -> u32 {
    (target.wrapping_sub(pc + 4) & 0x3_FFFF) << 6 | 6
}

/// CALL0, CALL4, CALL8 or CALL12.
pub const fn call(window: u32, pc: u32, target: u32) -> u32 {
    (target.wrapping_sub((pc & !3) + 4) >> 2 & 0x3_FFFF) << 6 | window << 4 | 5
}

pub const fn l32r(t: u32, pc: u32, literal: u32) -> u32 {
    (literal.wrapping_sub((pc + 3) & !3) >> 2 & 0xFFFF) << 8 | t << 4 | 1
}

/// LOOP, LOOPNEZ or LOOPGTZ (`kind` 0 to 2).
pub const fn loop_(kind: u32, s: u32, pc: u32, end: u32) -> u32 {
    rri8(6, 8 + kind, s, 7, end.wrapping_sub(pc + 4))
}

/// The length of an instruction.
pub const fn length(bits: u32) -> u32 {
    if bits & 8 != 0 { 2 } else { 3 }
}

/// Code at an address, with literals in a pool elsewhere.
#[derive(Clone, Debug)]
pub struct Code {
    /// The address of its first byte.
    pub start: u32,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Code {
    /// Code from `start` on.
    pub const fn at(start: u32) -> Self {
        Self { start, bytes: Vec::new() }
    }

    /// The address of the next instruction.
    pub fn pc(&self) -> u32 {
        self.start + self.bytes.len() as u32
    }

    /// Adds an instruction.
    pub fn put(&mut self, bits: u32) {
        self.bytes.extend(&bits.to_le_bytes()[..length(bits) as usize]);
    }

    /// Adds some.
    pub fn all(&mut self, all: &[u32]) {
        all.iter().for_each(|bits| self.put(*bits));
    }

    /// Writes the instruction at `pc` again.
    pub fn patch(&mut self, pc: u32, bits: u32) {
        let at = (pc - self.start) as usize;
        let length = length(bits) as usize;
        self.bytes[at..at + length].copy_from_slice(&bits.to_le_bytes()[..length]);
    }

    /// Fills up to an address that is a multiple of `bytes`. Nothing gets there.
    pub fn align(&mut self, bytes: u32) {
        while !self.pc().is_multiple_of(bytes) {
            self.bytes.push(0);
        }
    }
}
