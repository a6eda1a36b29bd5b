//! The words of the instructions that the tests use: RISC-V Unprivileged ISA 20191213, chapter 24.

fn field(value: i32, bits: u32) -> u32 {
    value as u32 & ((1 << bits) - 1)
}

fn r(base: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    base | rd << 7 | rs1 << 15 | rs2 << 20
}

fn i(base: u32, rd: u32, rs1: u32, imm: i32) -> u32 {
    base | rd << 7 | rs1 << 15 | field(imm, 12) << 20
}

fn s(base: u32, rs2: u32, rs1: u32, imm: i32) -> u32 {
    base | field(imm, 5) << 7 | rs1 << 15 | rs2 << 20 | field(imm >> 5, 7) << 25
}

fn b(base: u32, rs1: u32, rs2: u32, offset: i32) -> u32 {
    let bits = field(offset >> 11, 1) << 7 | field(offset >> 1, 4) << 8 | field(offset >> 5, 6) << 25;
    base | bits | rs1 << 15 | rs2 << 20 | field(offset >> 12, 1) << 31
}

pub fn lui(rd: u32, value: u32) -> u32 {
    0x37 | rd << 7 | value & 0xFFFF_F000
}
pub fn auipc(rd: u32, value: u32) -> u32 {
    0x17 | rd << 7 | value & 0xFFFF_F000
}
pub fn jal(rd: u32, offset: i32) -> u32 {
    let bits = field(offset >> 12, 8) << 12 | field(offset >> 11, 1) << 20 | field(offset >> 1, 10) << 21;
    0x6F | rd << 7 | bits | field(offset >> 20, 1) << 31
}
pub fn jalr(rd: u32, rs1: u32, imm: i32) -> u32 {
    i(0x67, rd, rs1, imm)
}
pub fn beq(rs1: u32, rs2: u32, offset: i32) -> u32 {
    b(0x0063, rs1, rs2, offset)
}
pub fn bne(rs1: u32, rs2: u32, offset: i32) -> u32 {
    b(0x1063, rs1, rs2, offset)
}
pub fn blt(rs1: u32, rs2: u32, offset: i32) -> u32 {
    b(0x4063, rs1, rs2, offset)
}
/// For the tests of chips' devices, which read bytes.
#[allow(dead_code)]
pub fn lb(rd: u32, rs1: u32, imm: i32) -> u32 {
    i(0x0003, rd, rs1, imm)
}
pub fn lh(rd: u32, rs1: u32, imm: i32) -> u32 {
    i(0x1003, rd, rs1, imm)
}
pub fn lw(rd: u32, rs1: u32, imm: i32) -> u32 {
    i(0x2003, rd, rs1, imm)
}
pub fn sb(rs2: u32, rs1: u32, imm: i32) -> u32 {
    s(0x0023, rs2, rs1, imm)
}
pub fn sh(rs2: u32, rs1: u32, imm: i32) -> u32 {
    s(0x1023, rs2, rs1, imm)
}
pub fn sw(rs2: u32, rs1: u32, imm: i32) -> u32 {
    s(0x2023, rs2, rs1, imm)
}
pub fn addi(rd: u32, rs1: u32, imm: i32) -> u32 {
    i(0x0013, rd, rs1, imm)
}
pub fn srli(rd: u32, rs1: u32, shift: i32) -> u32 {
    i(0x5013, rd, rs1, shift)
}
pub fn slli(rd: u32, rs1: u32, shift: i32) -> u32 {
    i(0x1013, rd, rs1, shift)
}
pub fn srai(rd: u32, rs1: u32, shift: i32) -> u32 {
    i(0x5013, rd, rs1, shift | 0x400)
}
pub fn add(rd: u32, rs1: u32, rs2: u32) -> u32 {
    r(0x33, rd, rs1, rs2)
}
pub fn mul(rd: u32, rs1: u32, rs2: u32) -> u32 {
    r(0x0200_0033, rd, rs1, rs2)
}
pub fn mulhu(rd: u32, rs1: u32, rs2: u32) -> u32 {
    r(0x0200_3033, rd, rs1, rs2)
}
pub fn div(rd: u32, rs1: u32, rs2: u32) -> u32 {
    r(0x0200_4033, rd, rs1, rs2)
}
pub fn csrrw(rd: u32, csr: u32, rs1: u32) -> u32 {
    0x1073 | rd << 7 | rs1 << 15 | csr << 20
}
pub fn csrrs(rd: u32, csr: u32, rs1: u32) -> u32 {
    0x2073 | rd << 7 | rs1 << 15 | csr << 20
}
pub fn csrrsi(rd: u32, csr: u32, value: u32) -> u32 {
    0x6073 | rd << 7 | value << 15 | csr << 20
}
pub fn csrrci(rd: u32, csr: u32, value: u32) -> u32 {
    0x7073 | rd << 7 | value << 15 | csr << 20
}
pub fn lr(rd: u32, rs1: u32) -> u32 {
    r(0x1000_202F, rd, rs1, 0)
}
pub fn sc(rd: u32, rs2: u32, rs1: u32) -> u32 {
    r(0x1800_202F, rd, rs1, rs2)
}
pub fn amoadd(rd: u32, rs2: u32, rs1: u32) -> u32 {
    r(0x202F, rd, rs1, rs2)
}
pub fn getq(rd: u32, qs: u32) -> u32 {
    r(0x000B, rd, qs, 0)
}
pub fn setq(qd: u32, rs: u32) -> u32 {
    r(0x0200_000B, qd, rs, 0)
}
pub fn maskirq(rd: u32, rs: u32) -> u32 {
    r(0x0600_000B, rd, rs, 0)
}
pub fn timer(rd: u32, rs: u32) -> u32 {
    r(0x0A00_000B, rd, rs, 0)
}
pub fn waitirq(rd: u32) -> u32 {
    r(0x0800_000B, rd, 0, 0)
}

pub const RETIRQ: u32 = 0x0400_000B;
pub const ECALL: u32 = 0x0000_0073;
pub const EBREAK: u32 = 0x0010_0073;
pub const MRET: u32 = 0x3020_0073;
pub const WFI: u32 = 0x1050_0073;
pub const FENCE_I: u32 = 0x0000_100F;
pub const NOP: u32 = 0x0000_0013;
/// C.NOP twice.
pub const NOPS: u32 = 0x0001_0001;
/// Loops for ever.
pub const HERE: u32 = 0x0000_006F;

pub const MSTATUS: u32 = 0x300;
pub const MIE: u32 = 0x304;
pub const MTVEC: u32 = 0x305;
pub const MSCRATCH: u32 = 0x340;
pub const MEPC: u32 = 0x341;
pub const MCAUSE: u32 = 0x342;
pub const MTVAL: u32 = 0x343;
pub const MIP: u32 = 0x344;
pub const PMPCFG0: u32 = 0x3A0;
pub const PMPADDR0: u32 = 0x3B0;
pub const MCYCLE: u32 = 0xB00;
pub const MINSTRET: u32 = 0xB02;
