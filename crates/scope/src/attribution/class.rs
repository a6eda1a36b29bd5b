//! Classifies instructions by their encoding: the kind, and the ways control may go.
//!
//! There is one table for each instruction set. The first matching entry wins; an instruction without an entry is
//! arithmetic. The entries hold only what attribution needs. Sources: Armv6-M and Armv7-M with FPv4-SP (DDI 0403E
//! chapters A5 and A7), RV32IMAC with PicoRV32's own return (the unprivileged ISA manual, chapters 2, 13 and 26), AVR
//! (DS40002198B chapter 5).

use cyclescope_image::Architecture;

/// A kind of instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Class {
    /// Integer arithmetic and logic, moves and comparisons.
    Arithmetic,
    /// Multiplications.
    Multiply,
    /// Divisions.
    Divide,
    /// Loads, pops and reads of I/O.
    Load,
    /// Stores, pushes and writes of I/O.
    Store,
    /// Jumps and branches, taken or not; skips.
    Branch,
    /// Calls.
    Call,
    /// Returns, from exceptions too.
    Return,
    /// Floating-point arithmetic and moves; not loads and stores.
    Float,
    /// Hints, barriers, special registers, supervisor calls.
    System,
    /// Code that the image does not contain, such as code written to RAM at run time.
    Unknown,
}

impl Class {
    /// All classes, in order.
    pub const ALL: [Self; 11] = [
        Self::Arithmetic,
        Self::Multiply,
        Self::Divide,
        Self::Load,
        Self::Store,
        Self::Branch,
        Self::Call,
        Self::Return,
        Self::Float,
        Self::System,
        Self::Unknown,
    ];

    /// Returns the name used in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Arithmetic => "arithmetic",
            Self::Multiply => "multiply",
            Self::Divide => "divide",
            Self::Load => "load",
            Self::Store => "store",
            Self::Branch => "branch",
            Self::Call => "call",
            Self::Return => "return",
            Self::Float => "float",
            Self::System => "system",
            Self::Unknown => "unknown",
        }
    }
}

/// The ways control may go after an instruction. Values from [`Flow::Call`] on may change the call path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Flow {
    /// To the next instruction, or to an address in the encoding.
    Straight,
    /// To a function, which returns.
    Call,
    /// To an address in a register or in memory.
    Indirect,
    /// Back to a caller.
    Return,
    /// An exception was entered since the instruction.
    Entered,
    /// An exception has returned since the instruction.
    Resumed,
    /// The history is unknown.
    Begun,
}

/// The class, control flow and length of one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) class: Class,
    pub(crate) flow: Flow,
    /// Length in bytes.
    pub(crate) length: u8,
}

impl Kind {
    /// Unknown code, which may jump anywhere.
    pub(crate) const UNKNOWN: Self = Self { class: Class::Unknown, flow: Flow::Indirect, length: 2 };

    /// Classifies the instruction at the start of `bytes`.
    pub(crate) fn of(architecture: Architecture, bytes: &[u8]) -> Self {
        let half = |at: usize| bytes.get(at..at + 2).map(|half| u16::from_le_bytes([half[0], half[1]]));
        let Some(first) = half(0) else { return Self::UNKNOWN };
        let second = u32::from(half(2).unwrap_or(0));
        let first = u32::from(first);
        let (encodings, code, length) = match architecture {
            // Its instructions have no classes yet.
            Architecture::Xtensa => return Self { length: if first & 15 >= 8 { 2 } else { 3 }, ..Self::UNKNOWN },
            Architecture::Arm if first >> 11 >= 0b11101 => (THUMB_WIDE, first << 16 | second, 4),
            Architecture::Arm => (THUMB, first, 2),
            Architecture::Avr(_) => (AVR, first, if has_second_word(first) { 4 } else { 2 }),
            _ if first & 3 == 3 => (RISCV, second << 16 | first, 4),
            _ => (RISCV_COMPRESSED, first, 2),
        };
        let encoding = encodings.iter().find(|(mask, value, ..)| code & mask == *value);
        let (class, flow) = encoding.map_or((Class::Arithmetic, Flow::Straight), |(.., class, flow)| (*class, *flow));
        Self { class, flow, length }
    }
}

/// Tells if the instruction is LDS, STS, JMP or CALL, which have a second word.
const fn has_second_word(first: u32) -> bool {
    first & 0xFC0F == 0x9000 || first & 0xFE0C == 0x940C
}

/// An entry of a table: mask, value, class and flow.
type Encoding = (u32, u32, Class, Flow);

use Class::{Branch, Call, Divide, Float, Load, Multiply, Return, Store, System};
use Flow::{Indirect, Straight};

#[rustfmt::skip]
const THUMB: &[Encoding] = &[
    (0xFF87, 0x4780, Call, Flow::Call),        // BLX
    (0xFFFF, 0x4770, Return, Flow::Return),    // BX LR
    (0xFF87, 0x4700, Branch, Indirect),        // BX
    (0xFF87, 0x4687, Branch, Indirect),        // MOV PC
    (0xFF87, 0x4487, Branch, Indirect),        // ADD PC
    (0xFF00, 0xBD00, Return, Flow::Return),    // POP {…, PC}
    (0xFE00, 0xBC00, Load, Straight),          // POP
    (0xFE00, 0xB400, Store, Straight),         // PUSH
    (0xF800, 0x4800, Load, Straight),          // LDR (literal)
    (0xFC00, 0x5000, Store, Straight),         // STR, STRH (register)
    (0xFE00, 0x5400, Store, Straight),         // STRB (register)
    (0xF000, 0x5000, Load, Straight),          // LDRSB, LDR, LDRH, LDRB, LDRSH (register)
    (0xF800, 0x6000, Store, Straight),         // STR
    (0xF800, 0x6800, Load, Straight),          // LDR
    (0xF800, 0x7000, Store, Straight),         // STRB
    (0xF800, 0x7800, Load, Straight),          // LDRB
    (0xF800, 0x8000, Store, Straight),         // STRH
    (0xF800, 0x8800, Load, Straight),          // LDRH
    (0xF800, 0x9000, Store, Straight),         // STR (SP)
    (0xF800, 0x9800, Load, Straight),          // LDR (SP)
    (0xF800, 0xC000, Store, Straight),         // STM
    (0xF800, 0xC800, Load, Straight),          // LDM
    (0xFFC0, 0x4340, Multiply, Straight),      // MUL
    (0xFE00, 0xDE00, System, Straight),        // UDF, SVC
    (0xF000, 0xD000, Branch, Straight),        // B (conditional)
    (0xF800, 0xE000, Branch, Straight),        // B
    (0xF500, 0xB100, Branch, Straight),        // CBZ, CBNZ
    (0xFF00, 0xBE00, System, Straight),        // BKPT
    (0xFFE0, 0xB660, System, Straight),        // CPS
    (0xFF0F, 0xBF00, System, Straight),        // hints; with other low bits IT
];

#[rustfmt::skip]
const THUMB_WIDE: &[Encoding] = &[
    (0xF800_D000, 0xF000_D000, Call, Flow::Call),     // BL
    (0xF800_D000, 0xF000_9000, Branch, Straight),     // B
    (0xFB80_D000, 0xF380_8000, System, Straight),     // MSR, MRS, hints, barriers, UDF
    (0xF800_D000, 0xF000_8000, Branch, Straight),     // B (conditional)
    (0xFFF0_FFE0, 0xE8D0_F000, Branch, Indirect),     // TBB, TBH
    (0xFFFF_8000, 0xE8BD_8000, Return, Flow::Return), // POP {…, PC}
    (0xFFD0_8000, 0xE890_8000, Branch, Indirect),     // LDM {…, PC}
    (0xFFD0_8000, 0xE910_8000, Branch, Indirect),     // LDMDB {…, PC}
    (0xFFD0_0000, 0xE890_0000, Load, Straight),       // LDM, POP
    (0xFFD0_0000, 0xE910_0000, Load, Straight),       // LDMDB
    (0xFFD0_0000, 0xE880_0000, Store, Straight),      // STM
    (0xFFD0_0000, 0xE900_0000, Store, Straight),      // STMDB, PUSH
    (0xFE50_0000, 0xE850_0000, Load, Straight),       // LDRD, LDREX…
    (0xFE50_0000, 0xE840_0000, Store, Straight),      // STRD, STREX…
    (0xFFFF_FFFF, 0xF85D_FB04, Return, Flow::Return), // POP {PC}
    (0xFF70_F000, 0xF850_F000, Branch, Indirect),     // LDR PC
    (0xFE10_0000, 0xF810_0000, Load, Straight),       // LDR…, hints for the memory system
    (0xFE10_0000, 0xF800_0000, Store, Straight),      // STR…
    (0xFFD0_F0F0, 0xFB90_F0F0, Divide, Straight),     // SDIV, UDIV
    (0xFF00_0000, 0xFB00_0000, Multiply, Straight),   // MUL, MLA, SMULL…
    (0xFFE0_0000, 0xEC40_0000, Float, Straight),      // VMOV of two
    (0xFE10_0000, 0xEC10_0000, Load, Straight),       // VLDR, VLDM, VPOP
    (0xFE10_0000, 0xEC00_0000, Store, Straight),      // VSTR, VSTM, VPUSH
    (0xEC00_0000, 0xEC00_0000, Float, Straight),      // the rest of the unit
];

#[rustfmt::skip]
const RISCV: &[Encoding] = &[
    (0x0000_007F, 0x0000_0003, Load, Straight),         // LB, LH, LW, LBU, LHU
    (0x0000_007F, 0x0000_0007, Load, Straight),         // FLW
    (0x0000_007F, 0x0000_0023, Store, Straight),        // SB, SH, SW
    (0x0000_007F, 0x0000_0027, Store, Straight),        // FSW
    (0x0000_007F, 0x0000_0063, Branch, Straight),       // BEQ…
    (0x0000_0FFF, 0x0000_006F, Branch, Straight),       // J
    (0x0000_007F, 0x0000_006F, Call, Flow::Call),       // JAL
    (0x000F_8FFF, 0x0000_8067, Return, Flow::Return),   // RET
    (0x000F_8FFF, 0x0002_8067, Return, Flow::Return),   // JR t0
    (0x0000_0FFF, 0x0000_0067, Branch, Indirect),       // JR
    (0x0000_007F, 0x0000_0067, Call, Flow::Call),       // JALR
    (0xFE00_407F, 0x0200_0033, Multiply, Straight),     // MUL, MULH, MULHSU, MULHU
    (0xFE00_407F, 0x0200_4033, Divide, Straight),       // DIV, DIVU, REM, REMU
    (0xF800_007F, 0x1000_002F, Load, Straight),         // LR
    (0x0000_007F, 0x0000_002F, Store, Straight),        // SC, AMO
    (0xFFFF_FFFF, 0x3020_0073, Return, Flow::Return),   // MRET
    (0xFE00_007F, 0x0400_000B, Return, Flow::Return),   // retirq of PicoRV32
    (0x0000_007F, 0x0000_000B, System, Straight),       // PicoRV32's others
    (0x0000_007F, 0x0000_0073, System, Straight),       // ECALL, EBREAK, WFI, CSR…
    (0x0000_007F, 0x0000_000F, System, Straight),       // FENCE
    (0x0000_0073, 0x0000_0043, Float, Straight),        // FMADD…
    (0x0000_007F, 0x0000_0053, Float, Straight),        // FADD…
];

#[rustfmt::skip]
const RISCV_COMPRESSED: &[Encoding] = &[
    (0xE003, 0x4000, Load, Straight),       // C.LW
    (0xE003, 0xC000, Store, Straight),      // C.SW
    (0xE003, 0x2001, Call, Flow::Call),     // C.JAL
    (0xE003, 0xA001, Branch, Straight),     // C.J
    (0xC003, 0xC001, Branch, Straight),     // C.BEQZ, C.BNEZ
    (0xE003, 0x4002, Load, Straight),       // C.LWSP
    (0xE003, 0xC002, Store, Straight),      // C.SWSP
    (0xFFFF, 0x8082, Return, Flow::Return), // RET
    (0xFFFF, 0x8282, Return, Flow::Return), // JR t0
    (0xF07F, 0x8002, Branch, Indirect),     // C.JR
    (0xFFFF, 0x9002, System, Straight),     // C.EBREAK
    (0xF07F, 0x9002, Call, Flow::Call),     // C.JALR
];

#[rustfmt::skip]
const AVR: &[Encoding] = &[
    (0xFFFF, 0xD000, Store, Straight),      // RCALL .+0 makes room on the stack; it calls nothing
    (0xF000, 0xD000, Call, Flow::Call),     // RCALL
    (0xFE0E, 0x940E, Call, Flow::Call),     // CALL
    (0xFFEF, 0x9509, Call, Flow::Call),     // ICALL, EICALL
    (0xFFEF, 0x9508, Return, Flow::Return), // RET, RETI
    (0xF000, 0xC000, Branch, Straight),     // RJMP
    (0xFE0E, 0x940C, Branch, Straight),     // JMP
    (0xFFEF, 0x9409, Branch, Indirect),     // IJMP, EIJMP
    (0xF800, 0xF000, Branch, Straight),     // BRBS, BRBC
    (0xFC08, 0xFC00, Branch, Straight),     // SBRC, SBRS
    (0xFC00, 0x1000, Branch, Straight),     // CPSE
    (0xFD00, 0x9900, Branch, Straight),     // SBIC, SBIS
    (0xFD00, 0x9800, Store, Straight),      // CBI, SBI
    (0xFE00, 0x9000, Load, Straight),       // LDS, LD, LPM, ELPM, POP
    (0xFE00, 0x9200, Store, Straight),      // STS, ST, PUSH
    (0xD200, 0x8000, Load, Straight),       // LDD
    (0xD200, 0x8200, Store, Straight),      // STD
    (0xFFEF, 0x95C8, Load, Straight),       // LPM, ELPM
    (0xFFEF, 0x95E8, Store, Straight),      // SPM
    (0xF800, 0xB000, Load, Straight),       // IN
    (0xF800, 0xB800, Store, Straight),      // OUT
    (0xFC00, 0x9C00, Multiply, Straight),   // MUL
    (0xFE00, 0x0200, Multiply, Straight),   // MULS, MULSU, FMUL…
    (0xFFFF, 0x0000, System, Straight),     // NOP
    (0xFF7F, 0x9478, System, Straight),     // SEI, CLI
    (0xFFDF, 0x9588, System, Straight),     // SLEEP, WDR
    (0xFFFF, 0x9598, System, Straight),     // BREAK
];

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(architecture: Architecture, halves: &[u16]) -> (Class, Flow, u8) {
        let bytes: Vec<u8> = halves.iter().flat_map(|half| half.to_le_bytes()).collect();
        let Kind { class, flow, length } = Kind::of(architecture, &bytes);
        (class, flow, length)
    }

    #[test]
    fn arm_is_classified() {
        for (halves, expect) in [
            (&[0x4770][..], (Return, Flow::Return, 2)),            // bx lr
            (&[0x4718], (Branch, Indirect, 2)),                    // bx r3
            (&[0x4798], (Call, Flow::Call, 2)),                    // blx r3
            (&[0xBD10], (Return, Flow::Return, 2)),                // pop {r4, pc}
            (&[0xBC10], (Load, Straight, 2)),                      // pop {r4}
            (&[0xB510], (Store, Straight, 2)),                     // push {r4, lr}
            (&[0xBF08], (Class::Arithmetic, Straight, 2)),         // it eq
            (&[0xBF00], (System, Straight, 2)),                    // nop
            (&[0xD1F3], (Branch, Straight, 2)),                    // bne
            (&[0xDF00], (System, Straight, 2)),                    // svc
            (&[0xF000, 0xFCE3], (Call, Flow::Call, 4)),            // bl
            (&[0xF3EF, 0x8010], (System, Straight, 4)),            // mrs
            (&[0xF43F, 0xAF5E], (Branch, Straight, 4)),            // beq.w
            (&[0xE8DF, 0xF003], (Branch, Indirect, 4)),            // tbb
            (&[0xE8BD, 0x8010], (Return, Flow::Return, 4)),        // pop.w {r4, pc}
            (&[0xE92D, 0x41F0], (Store, Straight, 4)),             // push.w
            (&[0xFBB7, 0xF5F2], (Divide, Straight, 4)),            // udiv
            (&[0xFBA1, 0x8904], (Multiply, Straight, 4)),          // umull
            (&[0xF85D, 0xFB04], (Return, Flow::Return, 4)),        // pop {pc}
            (&[0xF8D0, 0x1004], (Load, Straight, 4)),              // ldr.w
            (&[0xFA91, 0xF1A1], (Class::Arithmetic, Straight, 4)), // rbit
            (&[0xEE21, 0x2A80], (Float, Straight, 4)),             // vmul.f32
            (&[0xEDD4, 0x1A00], (Load, Straight, 4)),              // vldr
            (&[0xED2D, 0x8B02], (Store, Straight, 4)),             // vpush
        ] {
            assert_eq!(kind(Architecture::Arm, halves), expect, "{halves:x?}");
        }
    }

    #[test]
    fn avr_is_classified() {
        for (halves, expect) in [
            (&[0x940E, 0x0080][..], (Call, Flow::Call, 4)),
            (&[0x9508], (Return, Flow::Return, 2)),
            (&[0x9518], (Return, Flow::Return, 2)),
            (&[0xDFF0], (Call, Flow::Call, 2)),
            (&[0xD000], (Store, Straight, 2)),
            (&[0x9509], (Call, Flow::Call, 2)),
            (&[0x9180, 0x0100], (Load, Straight, 4)),
            (&[0x960C], (Class::Arithmetic, Straight, 2)), // adiw r24, 12
            (&[0xF7F1], (Branch, Straight, 2)),            // brne
            (&[0xFD80], (Branch, Straight, 2)),            // sbrc
            (&[0xF980], (Class::Arithmetic, Straight, 2)), // bld
            (&[0x9F86], (Multiply, Straight, 2)),
            (&[0x9A28], (Store, Straight, 2)),  // sbi
            (&[0x9588], (System, Straight, 2)), // sleep
        ] {
            assert_eq!(kind(Architecture::Avr(5), halves), expect, "{halves:x?}");
        }
    }
}
