//! The 32-bit encodings: RISC-V Unprivileged ISA 20191213, chapter 24; Privileged Architecture 20211203, chapter 4 (MRET,
//! WFI); and PicoRV32's README, "Custom Instructions for IRQ Handling".

use super::{Extension, Instruction, Op, Row};

const fn bits(word: u32, from: u32, count: u32) -> u32 {
    word >> from & ((1 << count) - 1)
}

/// The bits `from` up to the top, sign-extended.
const fn top(word: u32, from: u32) -> u32 {
    (word as i32 >> from) as u32
}

const fn rd(w: u32) -> u32 {
    bits(w, 7, 5)
}

const fn rs1(w: u32) -> u32 {
    bits(w, 15, 5)
}

const fn rs2(w: u32) -> u32 {
    bits(w, 20, 5)
}

macro_rules! r {
    ($op:ident) => {
        |w| Instruction::new(Op::$op).rd(rd(w)).rs1(rs1(w)).rs2(rs2(w))
    };
}
macro_rules! i {
    ($op:ident) => {
        |w| Instruction::new(Op::$op).rd(rd(w)).rs1(rs1(w)).imm(top(w, 20))
    };
}
macro_rules! shift {
    ($op:ident) => {
        |w| Instruction::new(Op::$op).rd(rd(w)).rs1(rs1(w)).imm(rs2(w))
    };
}
macro_rules! s {
    ($op:ident) => {
        |w| Instruction::new(Op::$op).rs1(rs1(w)).rs2(rs2(w)).imm(top(w, 25) << 5 | rd(w))
    };
}
macro_rules! b {
    ($op:ident) => {
        |w| {
            let imm = top(w, 31) << 12 | bits(w, 7, 1) << 11 | bits(w, 25, 6) << 5 | bits(w, 8, 4) << 1;
            Instruction::new(Op::$op).rs1(rs1(w)).rs2(rs2(w)).imm(imm)
        }
    };
}
macro_rules! u {
    ($op:ident) => {
        |w| Instruction::new(Op::$op).rd(rd(w)).imm(w & 0xFFFF_F000)
    };
}
macro_rules! csr {
    ($op:ident) => {
        |w| Instruction::new(Op::$op).rd(rd(w)).rs1(rs1(w)).imm(w >> 20)
    };
}
macro_rules! plain {
    ($op:ident) => {
        |_| Instruction::new(Op::$op)
    };
}

const fn jal(w: u32) -> Instruction {
    let imm = top(w, 31) << 20 | bits(w, 12, 8) << 12 | bits(w, 20, 1) << 11 | bits(w, 21, 10) << 1;
    Instruction::new(Op::Jal).rd(rd(w)).imm(imm)
}

const fn row(extension: Extension, mask: u32, value: u32, name: &'static str, build: fn(u32) -> Instruction) -> Row {
    Row { mask, value, name, extension, build }
}

const MAJOR: u32 = 0x7F;
const FUNCT3: u32 = 0x707F;
const FUNCT7: u32 = 0xFE00_707F;
const AMO: u32 = 0xF800_707F;
const LOAD_RESERVED: u32 = 0xF9F0_707F;
const ALL: u32 = u32::MAX;
/// PicoRV32's: funct7 and the bits that its README prints as zero.
const PICO: u32 = 0xFE00_007F;

use Extension::{DataCache, I, M, Machine, PicoIrq, Zaamo, Zalrsc, Zicsr, Zifencei};

/// All 32-bit encodings. No two overlap.
#[rustfmt::skip] // A table.
pub static WIDE: &[Row] = &[
    row(I, MAJOR, 0x37, "LUI", u!(Lui)),
    row(I, MAJOR, 0x17, "AUIPC", u!(Auipc)),
    row(I, MAJOR, 0x6F, "JAL", jal),
    row(I, FUNCT3, 0x67, "JALR", i!(Jalr)),
    row(I, FUNCT3, 0x0063, "BEQ", b!(Beq)),
    row(I, FUNCT3, 0x1063, "BNE", b!(Bne)),
    row(I, FUNCT3, 0x4063, "BLT", b!(Blt)),
    row(I, FUNCT3, 0x5063, "BGE", b!(Bge)),
    row(I, FUNCT3, 0x6063, "BLTU", b!(Bltu)),
    row(I, FUNCT3, 0x7063, "BGEU", b!(Bgeu)),
    row(I, FUNCT3, 0x0003, "LB", i!(Lb)),
    row(I, FUNCT3, 0x1003, "LH", i!(Lh)),
    row(I, FUNCT3, 0x2003, "LW", i!(Lw)),
    row(I, FUNCT3, 0x4003, "LBU", i!(Lbu)),
    row(I, FUNCT3, 0x5003, "LHU", i!(Lhu)),
    row(I, FUNCT3, 0x0023, "SB", s!(Sb)),
    row(I, FUNCT3, 0x1023, "SH", s!(Sh)),
    row(I, FUNCT3, 0x2023, "SW", s!(Sw)),
    row(I, FUNCT3, 0x0013, "ADDI", i!(Addi)),
    row(I, FUNCT3, 0x2013, "SLTI", i!(Slti)),
    row(I, FUNCT3, 0x3013, "SLTIU", i!(Sltiu)),
    row(I, FUNCT3, 0x4013, "XORI", i!(Xori)),
    row(I, FUNCT3, 0x6013, "ORI", i!(Ori)),
    row(I, FUNCT3, 0x7013, "ANDI", i!(Andi)),
    row(I, FUNCT7, 0x0000_1013, "SLLI", shift!(Slli)),
    row(I, FUNCT7, 0x0000_5013, "SRLI", shift!(Srli)),
    row(I, FUNCT7, 0x4000_5013, "SRAI", shift!(Srai)),
    row(I, FUNCT7, 0x0000_0033, "ADD", r!(Add)),
    row(I, FUNCT7, 0x4000_0033, "SUB", r!(Sub)),
    row(I, FUNCT7, 0x0000_1033, "SLL", r!(Sll)),
    row(I, FUNCT7, 0x0000_2033, "SLT", r!(Slt)),
    row(I, FUNCT7, 0x0000_3033, "SLTU", r!(Sltu)),
    row(I, FUNCT7, 0x0000_4033, "XOR", r!(Xor)),
    row(I, FUNCT7, 0x0000_5033, "SRL", r!(Srl)),
    row(I, FUNCT7, 0x4000_5033, "SRA", r!(Sra)),
    row(I, FUNCT7, 0x0000_6033, "OR", r!(Or)),
    row(I, FUNCT7, 0x0000_7033, "AND", r!(And)),
    row(I, FUNCT3, 0x000F, "FENCE", plain!(Fence)),
    row(I, ALL, 0x0000_0073, "ECALL", plain!(Ecall)),
    row(I, ALL, 0x0010_0073, "EBREAK", plain!(Ebreak)),
    row(Zifencei, FUNCT3, 0x100F, "FENCE.I", plain!(FenceI)),
    row(DataCache, FUNCT3 | 0x1F << 20, 0x500F, "cache management", plain!(FlushData)),
    row(Machine, ALL, 0x3020_0073, "MRET", plain!(Mret)),
    row(Machine, ALL, 0x1050_0073, "WFI", plain!(Wfi)),
    row(Zicsr, FUNCT3, 0x1073, "CSRRW", csr!(Csrrw)),
    row(Zicsr, FUNCT3, 0x2073, "CSRRS", csr!(Csrrs)),
    row(Zicsr, FUNCT3, 0x3073, "CSRRC", csr!(Csrrc)),
    row(Zicsr, FUNCT3, 0x5073, "CSRRWI", csr!(Csrrwi)),
    row(Zicsr, FUNCT3, 0x6073, "CSRRSI", csr!(Csrrsi)),
    row(Zicsr, FUNCT3, 0x7073, "CSRRCI", csr!(Csrrci)),
    row(M, FUNCT7, 0x0200_0033, "MUL", r!(Mul)),
    row(M, FUNCT7, 0x0200_1033, "MULH", r!(Mulh)),
    row(M, FUNCT7, 0x0200_2033, "MULHSU", r!(Mulhsu)),
    row(M, FUNCT7, 0x0200_3033, "MULHU", r!(Mulhu)),
    row(M, FUNCT7, 0x0200_4033, "DIV", r!(Div)),
    row(M, FUNCT7, 0x0200_5033, "DIVU", r!(Divu)),
    row(M, FUNCT7, 0x0200_6033, "REM", r!(Rem)),
    row(M, FUNCT7, 0x0200_7033, "REMU", r!(Remu)),
    row(Zalrsc, LOAD_RESERVED, 0x1000_202F, "LR.W", r!(LrW)),
    row(Zalrsc, AMO, 0x1800_202F, "SC.W", r!(ScW)),
    row(Zaamo, AMO, 0x0800_202F, "AMOSWAP.W", r!(AmoswapW)),
    row(Zaamo, AMO, 0x0000_202F, "AMOADD.W", r!(AmoaddW)),
    row(Zaamo, AMO, 0x2000_202F, "AMOXOR.W", r!(AmoxorW)),
    row(Zaamo, AMO, 0x6000_202F, "AMOAND.W", r!(AmoandW)),
    row(Zaamo, AMO, 0x4000_202F, "AMOOR.W", r!(AmoorW)),
    row(Zaamo, AMO, 0x8000_202F, "AMOMIN.W", r!(AmominW)),
    row(Zaamo, AMO, 0xA000_202F, "AMOMAX.W", r!(AmomaxW)),
    row(Zaamo, AMO, 0xC000_202F, "AMOMINU.W", r!(AmominuW)),
    row(Zaamo, AMO, 0xE000_202F, "AMOMAXU.W", r!(AmomaxuW)),
    row(PicoIrq, PICO | 7 << 17, 0x0000_000B, "getq", r!(Getq)),
    row(PicoIrq, PICO | 7 << 9, 0x0200_000B, "setq", r!(Setq)),
    row(PicoIrq, PICO, 0x0400_000B, "retirq", plain!(Retirq)),
    row(PicoIrq, PICO, 0x0600_000B, "maskirq", r!(Maskirq)),
    row(PicoIrq, PICO, 0x0800_000B, "waitirq", r!(Waitirq)),
    row(PicoIrq, PICO, 0x0A00_000B, "timer", r!(Timer)),
];
