//! Encoders of the instructions the tests use, from DDI 0419E §A6.7. `encoders_and_decoder_agree` in `timing.rs` checks
//! each of them against the decoder.

pub const NOP: u16 = 0xBF00;
pub const YIELD: u16 = 0xBF10;
pub const WFE: u16 = 0xBF20;
pub const WFI: u16 = 0xBF30;
pub const SEV: u16 = 0xBF40;
pub const CPSIE: u16 = 0xB662;
pub const CPSID: u16 = 0xB672;
/// `B .`
pub const SELF: u16 = 0xE7FE;
pub const BX_LR: u16 = 0x4770;

pub const DSB: [u16; 2] = [0xF3BF, 0x8F4F];
pub const DMB: [u16; 2] = [0xF3BF, 0x8F5F];
pub const ISB: [u16; 2] = [0xF3BF, 0x8F6F];

/// Special registers by their SYSm number.
pub const APSR: u16 = 0;
pub const XPSR: u16 = 3;
pub const IPSR: u16 = 5;
pub const MSP: u16 = 8;
pub const PSP: u16 = 9;
pub const PRIMASK: u16 = 16;
pub const CONTROL: u16 = 20;

/// LR's place in PUSH's list and PC's in POP's.
pub const WITH_LR_OR_PC: u16 = 1 << 8;

pub fn movs(rd: u16, imm8: u16) -> u16 {
    0x2000 | rd << 8 | imm8
}

pub fn adds(rdn: u16, imm8: u16) -> u16 {
    0x3000 | rdn << 8 | imm8
}

pub fn subs(rdn: u16, imm8: u16) -> u16 {
    0x3800 | rdn << 8 | imm8
}

/// `MOV Rd, Rm`, any registers.
pub fn mov(rd: u16, rm: u16) -> u16 {
    0x4600 | (rd & 8) << 4 | rm << 3 | rd & 7
}

/// `ADD Rdn, Rm`, any registers.
pub fn add_high(rdn: u16, rm: u16) -> u16 {
    0x4400 | (rdn & 8) << 4 | rm << 3 | rdn & 7
}

pub fn bx(rm: u16) -> u16 {
    0x4700 | rm << 3
}

pub fn blx(rm: u16) -> u16 {
    0x4780 | rm << 3
}

/// `LDR Rt, [PC, #words * 4]`
pub fn ldr_literal(rt: u16, words: u16) -> u16 {
    0x4800 | rt << 8 | words
}

/// `LDR Rt, [Rn, #words * 4]`
pub fn ldr(rt: u16, rn: u16, words: u16) -> u16 {
    0x6800 | words << 6 | rn << 3 | rt
}

/// `STR Rt, [Rn, #words * 4]`
pub fn str(rt: u16, rn: u16, words: u16) -> u16 {
    0x6000 | words << 6 | rn << 3 | rt
}

/// `LDRH Rt, [Rn, #halves * 2]`
pub fn ldrh(rt: u16, rn: u16, halves: u16) -> u16 {
    0x8800 | halves << 6 | rn << 3 | rt
}

/// `STRH Rt, [Rn, #halves * 2]`
pub fn strh(rt: u16, rn: u16, halves: u16) -> u16 {
    0x8000 | halves << 6 | rn << 3 | rt
}

pub fn ldm(rn: u16, list: u16) -> u16 {
    0xC800 | rn << 8 | list
}

pub fn stm(rn: u16, list: u16) -> u16 {
    0xC000 | rn << 8 | list
}

pub fn push(list: u16) -> u16 {
    0xB400 | list
}

pub fn pop(list: u16) -> u16 {
    0xBC00 | list
}

/// Conditional branch; `condition` as in the manual's table A6-1, `offset` in bytes from the instruction plus 4.
pub fn b_if(condition: u16, offset: i16) -> u16 {
    0xD000 | condition << 8 | ((offset / 2) as u16 & 0xFF)
}

pub fn b(offset: i16) -> u16 {
    0xE000 | ((offset / 2) as u16 & 0x7FF)
}

/// `BL` within 4 KiB, forward.
pub fn bl(offset: u16) -> [u16; 2] {
    [0xF000 | offset >> 12, 0xF800 | ((offset / 2) & 0x7FF)]
}

pub fn svc(imm8: u16) -> u16 {
    0xDF00 | imm8
}

pub fn bkpt(imm8: u16) -> u16 {
    0xBE00 | imm8
}

pub fn udf(imm8: u16) -> u16 {
    0xDE00 | imm8
}

pub fn mrs(rd: u16, special: u16) -> [u16; 2] {
    [0xF3EF, 0x8000 | rd << 8 | special]
}

pub fn msr(special: u16, rn: u16) -> [u16; 2] {
    [0xF380 | rn, 0x8800 | special]
}

/// Instructions of both sizes, one after the other.
macro_rules! code {
    ($($piece:expr),* $(,)?) => {{
        let mut halfwords: Vec<u16> = Vec::new();
        $($crate::common::asm::Piece::append($piece, &mut halfwords);)*
        halfwords
    }};
}
pub(crate) use code;

/// One instruction of either size, or several.
pub trait Piece {
    fn append(self, to: &mut Vec<u16>);
}

impl Piece for u16 {
    fn append(self, to: &mut Vec<u16>) {
        to.push(self);
    }
}

impl Piece for [u16; 2] {
    fn append(self, to: &mut Vec<u16>) {
        to.extend(self);
    }
}

impl Piece for Vec<u16> {
    fn append(self, to: &mut Vec<u16>) {
        to.extend(self);
    }
}
