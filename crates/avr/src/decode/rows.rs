//! The encodings: AVR Instruction Set Manual, DS40002198B, chapter 6 (Atmel-0856L before it), opcode of each instruction.

use super::{Instruction, Op, Row};

const fn bits(word: u32, low: u32, count: u32) -> u32 {
    word >> low & ((1 << count) - 1)
}

const fn sign_extend(value: u32, width: u32) -> u32 {
    ((value << (32 - width)) as i32 >> (32 - width)) as u32
}

/// `ddddd` in bits 8 to 4.
const fn rd5(w: u32) -> u8 {
    bits(w, 4, 5) as u8
}

/// `rrrrr` in bits 9 and 3 to 0.
const fn rr5(w: u32) -> u8 {
    (bits(w, 9, 1) << 4 | bits(w, 0, 4)) as u8
}

/// `dddd` in bits 7 to 4: r16 to r31.
const fn rd4(w: u32) -> u8 {
    16 + bits(w, 4, 4) as u8
}

/// `q` in bits 13, 11, 10 and 2 to 0.
const fn displacement(w: u32) -> u32 {
    bits(w, 13, 1) << 5 | bits(w, 10, 2) << 3 | bits(w, 0, 3)
}

macro_rules! plain {
    ($op:ident) => {
        |_, _| Instruction::new(Op::$op)
    };
}
/// `Rd, Rr`
macro_rules! two {
    ($op:ident) => {
        |w, _| Instruction::new(Op::$op).rd(rd5(w)).rr(rr5(w))
    };
}
/// `Rd, K` with r16 to r31
macro_rules! constant {
    ($op:ident) => {
        |w, _| Instruction::new(Op::$op).rd(rd4(w)).imm(bits(w, 8, 4) << 4 | bits(w, 0, 4))
    };
}
/// `Rd`
macro_rules! one {
    ($op:ident) => {
        |w, _| Instruction::new(Op::$op).rd(rd5(w))
    };
}
/// `Rd, Rr` with r16 to r23
macro_rules! high_three {
    ($op:ident) => {
        |w, _| Instruction::new(Op::$op).rd(16 + bits(w, 4, 3) as u8).rr(16 + bits(w, 0, 3) as u8)
    };
}
/// `Rd, base+q`
macro_rules! displaced {
    ($op:ident) => {
        |w, _| Instruction::new(Op::$op).rd(rd5(w)).imm(displacement(w))
    };
}
/// `Rd+1:Rd, K` with r24, X, Y or Z
macro_rules! word {
    ($op:ident) => {
        |w, _| {
            let k = bits(w, 6, 2) << 4 | bits(w, 0, 4);
            Instruction::new(Op::$op).rd(24 + 2 * bits(w, 4, 2) as u8).imm(k)
        }
    };
}
/// `A, b` with the 32 lower I/O registers
macro_rules! io_bit {
    ($op:ident) => {
        |w, _| Instruction::new(Op::$op).rr(bits(w, 0, 3) as u8).imm(bits(w, 3, 5))
    };
}
/// `Rd, b`
macro_rules! register_bit {
    ($op:ident) => {
        |w, _| Instruction::new(Op::$op).rd(rd5(w)).rr(bits(w, 0, 3) as u8)
    };
}
/// `A` of all 64 I/O registers and a register
macro_rules! io {
    ($op:ident) => {
        |w, _| Instruction::new(Op::$op).rd(rd5(w)).imm(bits(w, 9, 2) << 4 | bits(w, 0, 4))
    };
}
/// A bit of SREG
macro_rules! flag {
    ($op:ident) => {
        |w, _| Instruction::new(Op::$op).rr(bits(w, 4, 3) as u8)
    };
}
/// `k` of 12 bits, as bytes
macro_rules! relative {
    ($op:ident) => {
        |w, _| Instruction::new(Op::$op).imm(sign_extend(bits(w, 0, 12), 12) << 1)
    };
}
/// `s, k` of 7 bits, as bytes
macro_rules! conditional {
    ($op:ident) => {
        |w, _| Instruction::new(Op::$op).rr(bits(w, 0, 3) as u8).imm(sign_extend(bits(w, 3, 7), 7) << 1)
    };
}
/// `k` of 22 bits, as bytes
macro_rules! absolute {
    ($op:ident) => {
        |w, second| Instruction::new(Op::$op).imm((bits(w, 4, 5) << 17 | bits(w, 0, 1) << 16 | second) << 1)
    };
}
/// A data address in the second word
macro_rules! direct {
    ($op:ident) => {
        |w, second| Instruction::new(Op::$op).rd(rd5(w)).imm(second)
    };
}

const fn row(mask: u16, value: u16, name: &'static str, build: fn(u32, u32) -> Instruction) -> Row {
    Row { mask, value, name, words: 1, build }
}

const fn long(mask: u16, value: u16, name: &'static str, build: fn(u32, u32) -> Instruction) -> Row {
    Row { mask, value, name, words: 2, build }
}

/// All encodings of AVRe+. No two overlap.
pub static ROWS: &[Row] = &[
    row(0xFFFF, 0x0000, "NOP", plain!(Nop)),
    row(0xFF00, 0x0100, "MOVW", |w, _| {
        Instruction::new(Op::Movw).rd(2 * bits(w, 4, 4) as u8).rr(2 * bits(w, 0, 4) as u8)
    }),
    row(0xFF00, 0x0200, "MULS", |w, _| Instruction::new(Op::Muls).rd(rd4(w)).rr(16 + bits(w, 0, 4) as u8)),
    row(0xFF88, 0x0300, "MULSU", high_three!(Mulsu)),
    row(0xFF88, 0x0308, "FMUL", high_three!(Fmul)),
    row(0xFF88, 0x0380, "FMULS", high_three!(Fmuls)),
    row(0xFF88, 0x0388, "FMULSU", high_three!(Fmulsu)),
    row(0xFC00, 0x0400, "CPC", two!(Cpc)),
    row(0xFC00, 0x0800, "SBC", two!(Sbc)),
    row(0xFC00, 0x0C00, "ADD", two!(Add)),
    row(0xFC00, 0x1000, "CPSE", two!(Cpse)),
    row(0xFC00, 0x1400, "CP", two!(Cp)),
    row(0xFC00, 0x1800, "SUB", two!(Sub)),
    row(0xFC00, 0x1C00, "ADC", two!(Adc)),
    row(0xFC00, 0x2000, "AND", two!(And)),
    row(0xFC00, 0x2400, "EOR", two!(Eor)),
    row(0xFC00, 0x2800, "OR", two!(Or)),
    row(0xFC00, 0x2C00, "MOV", two!(Mov)),
    row(0xF000, 0x3000, "CPI", constant!(Cpi)),
    row(0xF000, 0x4000, "SBCI", constant!(Sbci)),
    row(0xF000, 0x5000, "SUBI", constant!(Subi)),
    row(0xF000, 0x6000, "ORI", constant!(Ori)),
    row(0xF000, 0x7000, "ANDI", constant!(Andi)),
    row(0xD208, 0x8000, "LDD Rd, Z+q", displaced!(LddZ)),
    row(0xD208, 0x8008, "LDD Rd, Y+q", displaced!(LddY)),
    row(0xD208, 0x8200, "STD Z+q, Rr", displaced!(StdZ)),
    row(0xD208, 0x8208, "STD Y+q, Rr", displaced!(StdY)),
    long(0xFE0F, 0x9000, "LDS", direct!(Lds)),
    row(0xFE0F, 0x9001, "LD Rd, Z+", one!(LdZInc)),
    row(0xFE0F, 0x9002, "LD Rd, -Z", one!(LdZDec)),
    row(0xFE0F, 0x9004, "LPM Rd, Z", one!(Lpm)),
    row(0xFE0F, 0x9005, "LPM Rd, Z+", one!(LpmInc)),
    row(0xFE0F, 0x9006, "ELPM Rd, Z", one!(Elpm)),
    row(0xFE0F, 0x9007, "ELPM Rd, Z+", one!(ElpmInc)),
    row(0xFE0F, 0x9009, "LD Rd, Y+", one!(LdYInc)),
    row(0xFE0F, 0x900A, "LD Rd, -Y", one!(LdYDec)),
    row(0xFE0F, 0x900C, "LD Rd, X", one!(LdX)),
    row(0xFE0F, 0x900D, "LD Rd, X+", one!(LdXInc)),
    row(0xFE0F, 0x900E, "LD Rd, -X", one!(LdXDec)),
    row(0xFE0F, 0x900F, "POP", one!(Pop)),
    long(0xFE0F, 0x9200, "STS", direct!(Sts)),
    row(0xFE0F, 0x9201, "ST Z+, Rr", one!(StZInc)),
    row(0xFE0F, 0x9202, "ST -Z, Rr", one!(StZDec)),
    row(0xFE0F, 0x9209, "ST Y+, Rr", one!(StYInc)),
    row(0xFE0F, 0x920A, "ST -Y, Rr", one!(StYDec)),
    row(0xFE0F, 0x920C, "ST X, Rr", one!(StX)),
    row(0xFE0F, 0x920D, "ST X+, Rr", one!(StXInc)),
    row(0xFE0F, 0x920E, "ST -X, Rr", one!(StXDec)),
    row(0xFE0F, 0x920F, "PUSH", one!(Push)),
    row(0xFE0F, 0x9400, "COM", one!(Com)),
    row(0xFE0F, 0x9401, "NEG", one!(Neg)),
    row(0xFE0F, 0x9402, "SWAP", one!(Swap)),
    row(0xFE0F, 0x9403, "INC", one!(Inc)),
    row(0xFE0F, 0x9405, "ASR", one!(Asr)),
    row(0xFE0F, 0x9406, "LSR", one!(Lsr)),
    row(0xFE0F, 0x9407, "ROR", one!(Ror)),
    row(0xFE0F, 0x940A, "DEC", one!(Dec)),
    row(0xFF8F, 0x9408, "BSET", flag!(Bset)),
    row(0xFF8F, 0x9488, "BCLR", flag!(Bclr)),
    row(0xFFFF, 0x9409, "IJMP", plain!(Ijmp)),
    row(0xFFFF, 0x9419, "EIJMP", plain!(Eijmp)),
    row(0xFFFF, 0x9508, "RET", plain!(Ret)),
    row(0xFFFF, 0x9509, "ICALL", plain!(Icall)),
    row(0xFFFF, 0x9518, "RETI", plain!(Reti)),
    row(0xFFFF, 0x9519, "EICALL", plain!(Eicall)),
    row(0xFFFF, 0x9588, "SLEEP", plain!(Sleep)),
    row(0xFFFF, 0x9598, "BREAK", plain!(Break)),
    row(0xFFFF, 0x95A8, "WDR", plain!(Wdr)),
    row(0xFFFF, 0x95C8, "LPM", plain!(LpmR0)),
    row(0xFFFF, 0x95D8, "ELPM", plain!(ElpmR0)),
    row(0xFFFF, 0x95E8, "SPM", plain!(Spm)),
    long(0xFE0E, 0x940C, "JMP", absolute!(Jmp)),
    long(0xFE0E, 0x940E, "CALL", absolute!(Call)),
    row(0xFF00, 0x9600, "ADIW", word!(Adiw)),
    row(0xFF00, 0x9700, "SBIW", word!(Sbiw)),
    row(0xFF00, 0x9800, "CBI", io_bit!(Cbi)),
    row(0xFF00, 0x9900, "SBIC", io_bit!(Sbic)),
    row(0xFF00, 0x9A00, "SBI", io_bit!(Sbi)),
    row(0xFF00, 0x9B00, "SBIS", io_bit!(Sbis)),
    row(0xFC00, 0x9C00, "MUL", two!(Mul)),
    row(0xF800, 0xB000, "IN", io!(In)),
    row(0xF800, 0xB800, "OUT", io!(Out)),
    row(0xF000, 0xC000, "RJMP", relative!(Rjmp)),
    row(0xF000, 0xD000, "RCALL", relative!(Rcall)),
    row(0xF000, 0xE000, "LDI", constant!(Ldi)),
    row(0xFC00, 0xF000, "BRBS", conditional!(Brbs)),
    row(0xFC00, 0xF400, "BRBC", conditional!(Brbc)),
    row(0xFE08, 0xF800, "BLD", register_bit!(Bld)),
    row(0xFE08, 0xFA00, "BST", register_bit!(Bst)),
    row(0xFE08, 0xFC00, "SBRC", register_bit!(Sbrc)),
    row(0xFE08, 0xFE00, "SBRS", register_bit!(Sbrs)),
];
