//! The encodings of Armv6-M: Armv6-M Architecture Reference Manual, DDI 0419E, chapter A5 and §A6.7.

use super::fields::{bits, low, row, sign_extend};
use super::{Instruction, Multiple, Op, Reg, Row};

/// LDM, STM, POP or PUSH of `list`, `before` the base or from it up; a base that is loaded is not written back.
const fn multiple(op: Op, rn: Reg, list: u32, before: bool) -> Instruction {
    let writes_base = matches!(op, Op::Stm) || list & 1 << rn as u32 == 0;
    Instruction::new(op).rn(rn).imm(Multiple { list, writes_base, before, done: 0 }.pack())
}

/// `Rd, Rm, #imm5`
macro_rules! shift {
    ($op:ident) => {
        |w| Instruction::new(Op::$op).rd(low(w, 0)).rm(low(w, 3)).imm(bits(w, 6, 5))
    };
}
/// `Rd, Rn, Rm`
macro_rules! three {
    ($op:ident) => {
        |w| Instruction::new(Op::$op).rd(low(w, 0)).rn(low(w, 3)).rm(low(w, 6))
    };
}
/// `Rd, Rn, #imm3`
macro_rules! imm3 {
    ($op:ident) => {
        |w| Instruction::new(Op::$op).rd(low(w, 0)).rn(low(w, 3)).imm(bits(w, 6, 3))
    };
}
/// `Rdn, #imm8`
macro_rules! imm8 {
    ($op:ident) => {
        |w| Instruction::new(Op::$op).rd(low(w, 8)).rn(low(w, 8)).imm(bits(w, 0, 8))
    };
}
/// `Rdn, Rm`
macro_rules! two {
    ($op:ident) => {
        |w| Instruction::new(Op::$op).rd(low(w, 0)).rn(low(w, 0)).rm(low(w, 3))
    };
}
/// `Rt, [Rn, #imm5 << shift]`
macro_rules! base_imm {
    ($op:ident, $shift:literal) => {
        |w| Instruction::new(Op::$op).rd(low(w, 0)).rn(low(w, 3)).imm(bits(w, 6, 5) << $shift)
    };
}
/// `Rd, SP or PC, #imm8 << 2`
macro_rules! imm8_words {
    ($op:ident, $base:ident) => {
        |w| Instruction::new(Op::$op).rd(low(w, 8)).rn(Reg::$base).imm(bits(w, 0, 8) << 2)
    };
}
macro_rules! plain {
    ($op:ident) => {
        |_| Instruction::new(Op::$op)
    };
}
macro_rules! conditional {
    ($op:ident) => {
        |w| Instruction::new(Op::$op).imm(sign_extend(bits(w, 0, 8) << 1, 9))
    };
}

fn high(op: Op, word: u32) -> Instruction {
    let rdn = Reg::new(bits(word, 7, 1) << 3 | bits(word, 0, 3));
    Instruction::new(op).rd(rdn).rn(rdn).rm(Reg::new(bits(word, 3, 4)))
}

fn wide_branch(word: u32) -> Instruction {
    let sign = bits(word, 26, 1);
    let i1 = !(bits(word, 13, 1) ^ sign) & 1;
    let i2 = !(bits(word, 11, 1) ^ sign) & 1;
    let offset = sign << 24 | i1 << 23 | i2 << 22 | bits(word, 16, 10) << 12 | bits(word, 0, 11) << 1;
    Instruction::new(Op::Bl).imm(sign_extend(offset, 25))
}

/// The 16-bit encodings, all of which Armv7-M has too.
pub const NARROW: &[Row] = &[
    row(0xF800, 0x0000, "LSL (immediate) T1", |w| match bits(w, 6, 5) {
        // LSL #0 is MOV (register) T2.
        0 => Instruction::new(Op::MovReg).rd(low(w, 0)).rm(low(w, 3)),
        imm => Instruction::new(Op::LslImm).rd(low(w, 0)).rm(low(w, 3)).imm(imm),
    }),
    row(0xF800, 0x0800, "LSR (immediate) T1", shift!(LsrImm)),
    row(0xF800, 0x1000, "ASR (immediate) T1", shift!(AsrImm)),
    row(0xFE00, 0x1800, "ADD (register) T1", three!(AddReg)),
    row(0xFE00, 0x1A00, "SUB (register) T1", three!(SubReg)),
    row(0xFE00, 0x1C00, "ADD (immediate) T1", imm3!(AddImm)),
    row(0xFE00, 0x1E00, "SUB (immediate) T1", imm3!(SubImm)),
    row(0xF800, 0x2000, "MOV (immediate) T1", imm8!(MovImm)),
    row(0xF800, 0x2800, "CMP (immediate) T1", imm8!(CmpImm)),
    row(0xF800, 0x3000, "ADD (immediate) T2", imm8!(AddImm)),
    row(0xF800, 0x3800, "SUB (immediate) T2", imm8!(SubImm)),
    row(0xFFC0, 0x4000, "AND (register) T1", two!(AndReg)),
    row(0xFFC0, 0x4040, "EOR (register) T1", two!(EorReg)),
    row(0xFFC0, 0x4080, "LSL (register) T1", two!(LslReg)),
    row(0xFFC0, 0x40C0, "LSR (register) T1", two!(LsrReg)),
    row(0xFFC0, 0x4100, "ASR (register) T1", two!(AsrReg)),
    row(0xFFC0, 0x4140, "ADC (register) T1", two!(AdcReg)),
    row(0xFFC0, 0x4180, "SBC (register) T1", two!(SbcReg)),
    row(0xFFC0, 0x41C0, "ROR (register) T1", two!(RorReg)),
    row(0xFFC0, 0x4200, "TST (register) T1", two!(TstReg)),
    row(0xFFC0, 0x4240, "RSB (immediate) T1", two!(RsbZero)),
    row(0xFFC0, 0x4280, "CMP (register) T1", two!(CmpReg)),
    row(0xFFC0, 0x42C0, "CMN (register) T1", two!(CmnReg)),
    row(0xFFC0, 0x4300, "ORR (register) T1", two!(OrrReg)),
    row(0xFFC0, 0x4340, "MUL T1", two!(Mul)),
    row(0xFFC0, 0x4380, "BIC (register) T1", two!(BicReg)),
    row(0xFFC0, 0x43C0, "MVN (register) T1", two!(MvnReg)),
    row(0xFF00, 0x4400, "ADD (register) T2", |w| {
        let high = high(Op::AddHigh, w);
        if matches!(high.rd, Reg::Pc) { Instruction { op: Op::AddPc, ..high } } else { high }
    }),
    row(0xFF00, 0x4500, "CMP (register) T2", |w| high(Op::CmpReg, w)),
    row(0xFF00, 0x4600, "MOV (register) T1", |w| {
        let high = high(Op::MovHigh, w);
        match high.rd {
            Reg::Pc => Instruction { op: Op::MovPc, ..high },
            Reg::Sp => Instruction { op: Op::MovSp, ..high },
            _ => high,
        }
    }),
    row(0xFF87, 0x4700, "BX T1", |w| Instruction::new(Op::Bx).rm(Reg::new(bits(w, 3, 4)))),
    row(0xFF87, 0x4780, "BLX (register) T1", |w| Instruction::new(Op::Blx).rm(Reg::new(bits(w, 3, 4)))),
    row(0xF800, 0x4800, "LDR (literal) T1", imm8_words!(LdrLiteral, Pc)),
    row(0xFE00, 0x5000, "STR (register) T1", three!(StrReg)),
    row(0xFE00, 0x5200, "STRH (register) T1", three!(StrhReg)),
    row(0xFE00, 0x5400, "STRB (register) T1", three!(StrbReg)),
    row(0xFE00, 0x5600, "LDRSB (register) T1", three!(LdrsbReg)),
    row(0xFE00, 0x5800, "LDR (register) T1", three!(LdrReg)),
    row(0xFE00, 0x5A00, "LDRH (register) T1", three!(LdrhReg)),
    row(0xFE00, 0x5C00, "LDRB (register) T1", three!(LdrbReg)),
    row(0xFE00, 0x5E00, "LDRSH (register) T1", three!(LdrshReg)),
    row(0xF800, 0x6000, "STR (immediate) T1", base_imm!(StrImm, 2)),
    row(0xF800, 0x6800, "LDR (immediate) T1", base_imm!(LdrImm, 2)),
    row(0xF800, 0x7000, "STRB (immediate) T1", base_imm!(StrbImm, 0)),
    row(0xF800, 0x7800, "LDRB (immediate) T1", base_imm!(LdrbImm, 0)),
    row(0xF800, 0x8000, "STRH (immediate) T1", base_imm!(StrhImm, 1)),
    row(0xF800, 0x8800, "LDRH (immediate) T1", base_imm!(LdrhImm, 1)),
    row(0xF800, 0x9000, "STR (immediate) T2", imm8_words!(StrImm, Sp)),
    row(0xF800, 0x9800, "LDR (immediate) T2", imm8_words!(LdrImm, Sp)),
    row(0xF800, 0xA000, "ADR T1", imm8_words!(Adr, Pc)),
    row(0xF800, 0xA800, "ADD (SP plus immediate) T1", imm8_words!(AddOffset, Sp)),
    row(0xFF80, 0xB000, "ADD (SP plus immediate) T2", |w| Instruction::new(Op::AddSp).imm(bits(w, 0, 7) << 2)),
    row(0xFF80, 0xB080, "SUB (SP minus immediate) T1", |w| Instruction::new(Op::SubSp).imm(bits(w, 0, 7) << 2)),
    row(0xFFC0, 0xB200, "SXTH T1", two!(Sxth)),
    row(0xFFC0, 0xB240, "SXTB T1", two!(Sxtb)),
    row(0xFFC0, 0xB280, "UXTH T1", two!(Uxth)),
    row(0xFFC0, 0xB2C0, "UXTB T1", two!(Uxtb)),
    row(0xFE00, 0xB400, "PUSH T1", |w| multiple(Op::Stm, Reg::Sp, bits(w, 0, 8) | bits(w, 8, 1) << 14, true)),
    row(0xFFC0, 0xBA00, "REV T1", two!(Rev)),
    row(0xFFC0, 0xBA40, "REV16 T1", two!(Rev16)),
    row(0xFFC0, 0xBAC0, "REVSH T1", two!(Revsh)),
    row(0xFF00, 0xBC00, "POP T1", |w| multiple(Op::Ldm, Reg::Sp, bits(w, 0, 8), false)),
    row(0xFF00, 0xBD00, "POP T1 with PC", |w| multiple(Op::LdmPc, Reg::Sp, bits(w, 0, 8) | 1 << 15, false)),
    row(0xFF00, 0xBE00, "BKPT T1", |w| Instruction::new(Op::Bkpt).imm(bits(w, 0, 8))),
    row(0xFFFF, 0xBF00, "NOP T1", plain!(Nop)),
    row(0xFFFF, 0xBF10, "YIELD T1", plain!(Yield)),
    row(0xFFFF, 0xBF20, "WFE T1", plain!(Wfe)),
    row(0xFFFF, 0xBF30, "WFI T1", plain!(Wfi)),
    row(0xFFFF, 0xBF40, "SEV T1", plain!(Sev)),
    // Unallocated hints execute as NOP (DDI 0419E §A5.2.5).
    row(0xFFFF, 0xBF50, "NOP-compatible hint 5", plain!(Nop)),
    row(0xFFEF, 0xBF60, "NOP-compatible hint 6 or 7", plain!(Nop)),
    row(0xFF8F, 0xBF80, "NOP-compatible hint 8 to 15", plain!(Nop)),
    row(0xF800, 0xC000, "STM T1", |w| multiple(Op::Stm, low(w, 8), bits(w, 0, 8), false)),
    row(0xF800, 0xC800, "LDM T1", |w| multiple(Op::Ldm, low(w, 8), bits(w, 0, 8), false)),
    row(0xFF00, 0xD000, "B T1 EQ", conditional!(Beq)),
    row(0xFF00, 0xD100, "B T1 NE", conditional!(Bne)),
    row(0xFF00, 0xD200, "B T1 CS", conditional!(Bcs)),
    row(0xFF00, 0xD300, "B T1 CC", conditional!(Bcc)),
    row(0xFF00, 0xD400, "B T1 MI", conditional!(Bmi)),
    row(0xFF00, 0xD500, "B T1 PL", conditional!(Bpl)),
    row(0xFF00, 0xD600, "B T1 VS", conditional!(Bvs)),
    row(0xFF00, 0xD700, "B T1 VC", conditional!(Bvc)),
    row(0xFF00, 0xD800, "B T1 HI", conditional!(Bhi)),
    row(0xFF00, 0xD900, "B T1 LS", conditional!(Bls)),
    row(0xFF00, 0xDA00, "B T1 GE", conditional!(Bge)),
    row(0xFF00, 0xDB00, "B T1 LT", conditional!(Blt)),
    row(0xFF00, 0xDC00, "B T1 GT", conditional!(Bgt)),
    row(0xFF00, 0xDD00, "B T1 LE", conditional!(Ble)),
    row(0xFF00, 0xDE00, "UDF T1", |w| Instruction::new(Op::Udf).imm(bits(w, 0, 8))),
    row(0xFF00, 0xDF00, "SVC T1", |w| Instruction::new(Op::Svc).imm(bits(w, 0, 8))),
    row(0xF800, 0xE000, "B T2", |w| Instruction::new(Op::B).imm(sign_extend(bits(w, 0, 11) << 1, 12))),
];

/// The 32-bit encodings, all of which Armv7-M has too.
pub const WIDE: &[Row] = &[
    row(0xF800_D000, 0xF000_D000, "BL T1", wide_branch),
    row(0xFFFF_F000, 0xF3EF_8000, "MRS T1", |w| {
        Instruction::new(Op::Mrs).rd(Reg::new(bits(w, 8, 4))).imm(bits(w, 0, 8))
    }),
    row(0xFFFF_FFF0, 0xF3BF_8F40, "DSB T1", plain!(Dsb)),
    row(0xFFFF_FFF0, 0xF3BF_8F50, "DMB T1", plain!(Dmb)),
    row(0xFFFF_FFF0, 0xF3BF_8F60, "ISB T1", plain!(Isb)),
    row(0xFFF0_F000, 0xF7F0_A000, "UDF T2", |w| Instruction::new(Op::Udf).imm(bits(w, 16, 4) << 12 | bits(w, 0, 12))),
];

/// 16-bit encodings that Armv7-M has with more fields.
pub const NARROW_ONLY: &[Row] =
    &[row(0xFFEF, 0xB662, "CPS", |w| Instruction::new(Op::Cps).imm(bits(w, 4, 1) | Instruction::CPS_PRIMASK))];

/// 32-bit encodings that Armv7-M has with more fields.
pub const WIDE_ONLY: &[Row] = &[row(0xFFF0_FF00, 0xF380_8800, "MSR (register) T1", |w| {
    Instruction::new(Op::Msr).rn(Reg::new(bits(w, 16, 4))).imm(bits(w, 0, 8) | Instruction::MSR_FLAGS)
})];
