//! Words of instructions, as the manual's opcodes have them.

const fn two(base: u16, d: u16, r: u16) -> u16 {
    base | (r & 16) << 5 | d << 4 | r & 15
}

const fn constant(base: u16, d: u16, k: u8) -> u16 {
    base | (k as u16 & 0xF0) << 4 | (d - 16) << 4 | k as u16 & 0xF
}

pub const NOP: u16 = 0;
pub const BREAK: u16 = 0x9598;
pub const SEI: u16 = 0x9478;
pub const CLI: u16 = 0x94F8;
pub const RET: u16 = 0x9508;
pub const RETI: u16 = 0x9518;
pub const SLEEP: u16 = 0x9588;
pub const WDR: u16 = 0x95A8;
pub const SPM: u16 = 0x95E8;
pub const IJMP: u16 = 0x9409;
pub const ICALL: u16 = 0x9509;
pub const HERE: u16 = 0xCFFF;

pub const fn ldi(d: u16, k: u8) -> u16 {
    constant(0xE000, d, k)
}
pub const fn mov(d: u16, r: u16) -> u16 {
    two(0x2C00, d, r)
}
pub const fn add(d: u16, r: u16) -> u16 {
    two(0x0C00, d, r)
}
pub const fn cpse(d: u16, r: u16) -> u16 {
    two(0x1000, d, r)
}
pub const fn inc(d: u16) -> u16 {
    0x9403 | d << 4
}
pub const fn dec(d: u16) -> u16 {
    0x940A | d << 4
}
pub const fn push(d: u16) -> u16 {
    0x920F | d << 4
}
pub const fn pop(d: u16) -> u16 {
    0x900F | d << 4
}
pub const fn input(d: u16, a: u8) -> u16 {
    0xB000 | (a as u16 & 0x30) << 5 | d << 4 | a as u16 & 15
}
pub const fn out(a: u8, r: u16) -> u16 {
    input(r, a) | 0x0800
}
pub const fn sbi(a: u8, b: u16) -> u16 {
    0x9A00 | (a as u16) << 3 | b
}
pub const fn cbi(a: u8, b: u16) -> u16 {
    0x9800 | (a as u16) << 3 | b
}
pub const fn sbic(a: u8, b: u16) -> u16 {
    0x9900 | (a as u16) << 3 | b
}
pub const fn sbis(a: u8, b: u16) -> u16 {
    0x9B00 | (a as u16) << 3 | b
}
pub const fn sbrc(r: u16, b: u16) -> u16 {
    0xFC00 | r << 4 | b
}
pub const fn sbrs(r: u16, b: u16) -> u16 {
    0xFE00 | r << 4 | b
}
pub const fn lds(d: u16, k: u16) -> [u16; 2] {
    [0x9000 | d << 4, k]
}
pub const fn sts(k: u16, r: u16) -> [u16; 2] {
    [0x9200 | r << 4, k]
}
/// Relative to the next instruction, in words.
pub const fn rjmp(k: i16) -> u16 {
    0xC000 | k as u16 & 0xFFF
}
pub const fn rcall(k: i16) -> u16 {
    0xD000 | k as u16 & 0xFFF
}
pub const fn brbs(s: u16, k: i16) -> u16 {
    0xF000 | (k as u16 & 0x7F) << 3 | s
}
pub const fn brbc(s: u16, k: i16) -> u16 {
    0xF400 | (k as u16 & 0x7F) << 3 | s
}
/// A byte address.
pub const fn jmp(address: u32) -> [u16; 2] {
    [0x940C | (address >> 17 & 1) as u16, (address >> 1) as u16]
}
pub const fn call(address: u32) -> [u16; 2] {
    [0x940E | (address >> 17 & 1) as u16, (address >> 1) as u16]
}
