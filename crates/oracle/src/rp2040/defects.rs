//! Known defects of the peer, each with a program that shows it.

/// A difference that is the peer's fault.
#[derive(Clone, Copy, Debug)]
pub struct Defect {
    /// The peer's behaviour.
    pub what: &'static str,
    /// The manual's, and what streams do about it.
    pub why: &'static str,
    /// A program on which the two differ.
    pub(super) code: &'static [u16],
    /// Its r0 to r3.
    pub(super) registers: [u32; 4],
}

/// All known defects (RP-008371-DS is the data sheet of the RP2040, DDI 0419E the architecture's manual).
pub const DEFECTS: &[Defect] = &[
    Defect {
        what: "ASRS by a register that holds 0 takes the carry from bit 31",
        why: "C stays as it is (DDI 0419E, ASR (register)); streams shift by 1 to 31",
        // asrs r0, r1
        code: &[0x4108],
        registers: [0x8000_0000, 0, 0, 0],
    },
    Defect {
        what: "LSLS by a register that holds 33 or more takes the carry from the value",
        why: "C is 0 (DDI 0419E, LSL_C()); streams shift by 1 to 31",
        // lsls r0, r1
        code: &[0x4088],
        registers: [0x8000_0000, 33, 0, 0],
    },
    Defect {
        what: "LSRS by a register that holds 0 takes the carry from bit 31",
        why: "C stays as it is (DDI 0419E, LSR (register)); streams shift by 1 to 31",
        // lsrs r0, r1
        code: &[0x40C8],
        registers: [0x8000_0000, 0, 0, 0],
    },
    Defect {
        what: "ADCS in which the carry alone overflows does not set V",
        why: "the carry is a part of the sum (DDI 0419E, AddWithCarry()); streams add 0 to 255 to a fourth of a value",
        // cmp r2, r2; adcs r0, r1
        code: &[0x4292, 0x4148],
        registers: [0x7FFF_FFFF, 0, 0, 0],
    },
    Defect {
        what: "SBCS of the greatest subtrahend takes the borrow into the subtrahend, and overflows",
        why: "the borrow is added last (DDI 0419E, AddWithCarry()); streams subtract 0 to 255",
        // sbcs r0, r1
        code: &[0x4188],
        registers: [0xFFFF_FFFF, 0x7FFF_FFFF, 0, 0],
    },
    Defect {
        what: "a write to INTERP0_ACCUM0_ADD adds 32 bits",
        why: "it adds 24 (RP-008371-DS, INTERP0_ACCUM0_ADD); streams do not write it",
        // str r0, [r6, #0x34]; ldr r0, [r6]
        code: &[0x6370, 0x6830],
        registers: [0x7300_0001, 0, 0, 0],
    },
    Defect {
        what: "RORS by a register that holds 0 takes the carry from the value",
        why: "C stays as it is (DDI 0419E, ROR (register)); streams rotate by 1 to 31",
        // cmp r1, r1; rors r0, r1
        code: &[0x4289, 0x41C8],
        registers: [2, 0, 0, 0],
    },
    Defect {
        what: "zero divided by zero is one",
        why: "all ones (RP-008371-DS, Integer Divider); streams do not divide by zero",
        // movs r0, #0; str r0, [r5, #0x60]; str r0, [r5, #0x64]; eight nops; ldr r0, [r5, #0x70]
        code: &[0x2000, 0x6628, 0x6668, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, 0x6F28],
        registers: [0; 4],
    },
];

const NOP: u16 = 0xBF00;
