//! Known defects of QEMU's cores, each with code that shows it: both sides differ on it.

use super::assembly::special::EXCCAUSE;
use super::assembly::*;

/// A defect.
#[derive(Debug)]
pub struct Defect {
    /// The core on which it is looked for; it shows on all that have the instructions.
    pub machine: &'static str,
    /// The difference.
    pub what: &'static str,
    /// The reason why our result is right, and the handling.
    pub why: &'static str,
    /// Code that shows it.
    pub code: &'static [u32],
}

/// FSR.
const FSR: u32 = 233;

/// All known defects.
pub const DEFECTS: &[Defect] = &[
    Defect {
        machine: "de233_fpu",
        what: "UTRUNC.S of a negative number drops the flags that FSR had",
        why: "flags stay until FSR is written (RC-2010.1 §4.3.11.2); programs clear FSR before",
        // FSR.I; FLOAT.S f0, a2; UTRUNC.S a3, f0; RUR a4.
        code: &[movi(2, 0x80), wur(2, FSR), movi(2, -2), 0x00CA_0200, 0x00EA_3000, 0x00E3_4E90],
    },
    Defect {
        machine: "de233_fpu",
        what: "TRUNC.S and its like raise O and I where the scaled number would be too large",
        why: "an ESP32 raises V alone (see crates/xtensa/src/float); programs clear FSR behind",
        // SLLI a2, a2, 24; WFR f0, a2: 2¹²⁷. FSR cleared. TRUNC.S a3, f0, 15; RUR a4.
        code: &[movi(2, 0x7F), 0x0001_2280, wfr(0, 2), movi(2, 0), wur(2, FSR), 0x009A_30F0, 0x00E3_4E90],
    },
    Defect {
        machine: "lx106",
        what: "EXCCAUSE keeps all 32 bits of what is written",
        why: "it has six (RC-2010.1 table 4–63); programs write no more",
        code: &[movi(2, -1), wsr(2, EXCCAUSE)],
    },
];
