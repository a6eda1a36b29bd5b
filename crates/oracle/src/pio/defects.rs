//! Known defects of the peer, each with a program that shows it.

use super::Setup;

/// A difference that is the peer's fault.
#[derive(Clone, Copy, Debug)]
pub struct Defect {
    /// The peer's behaviour.
    pub what: &'static str,
    /// The data sheet's, and what streams do about it.
    pub why: &'static str,
    /// Makes of NOPs a program on which the two differ.
    pub(super) set: fn(&mut Setup),
}

/// All known defects (RP-008371-DS is the data sheet of the RP2040).
pub const DEFECTS: &[Defect] = &[
    Defect {
        what: "a conditional PUSH or PULL whose condition does not hold has no delay",
        why: "delay follows every instruction (PIO, Instruction Set); streams give them none",
        // pull ifempty block [3], of a full register.
        set: |setup| setup.program[0] = 0x83E0,
    },
    Defect {
        what: "JMP !OSRE, PULL IFEMPTY and PUSH IFFULL look for 32 bits",
        why: "for the threshold (SHIFTCTRL.PULL_THRESH, PUSH_THRESH); streams have them with a threshold of 32",
        // out null, 8; jmp !osre 0.
        set: |setup| {
            (setup.program[0], setup.program[1], setup.pull_threshold) = (0x6068, 0x00E0, 8);
        },
    },
    Defect {
        what: "MOV PINS writes all pins",
        why: "those of OUT (PINCTRL.OUT_BASE, OUT_COUNT); streams have it with all of them",
        // mov pins, !null.
        set: |setup| (setup.program[0], setup.out) = (0xA00B, (4, 4)),
    },
    Defect {
        what: "MOV with bits in reverse order copies them",
        why: "PIO, MOV, operation 10; streams have none",
        // mov x, ::y.
        set: |setup| (setup.program[0], setup.y) = (0xA032, 1),
    },
    Defect {
        what: "with autopull a PULL of a full register takes a word",
        why: "it is a no-operation (PIO, Autopull Details); streams have none with autopull",
        set: |setup| (setup.program[0], setup.autopull) = (0x80A0, true),
    },
    Defect {
        what: "autopull refills in an OUT alone",
        why: "in any cycle (PIO, Autopull Details); the host of streams with autopull writes before an OUT",
        set: |setup| (setup.autopull, setup.osr_count) = (true, 32),
    },
    Defect {
        what: "an IN with autopush that finds the FIFO full shifts, and the next one stalls",
        why: "the same stalls (PIO, Autopush Details); the host of streams with autopush keeps the FIFO from filling",
        // in x, 32.
        set: |setup| (setup.program, setup.autopush) = ([0x4020; 32], true),
    },
    Defect {
        what: "a wrap at 0 is taken for one at the program's end",
        why: "WRAP_TOP may be 0; streams have another",
        set: |setup| setup.wrap = (0, 0),
    },
    Defect {
        what: "behind the last instruction comes none",
        why: "the program counter goes on at 0; the last of streams is a JMP or the wrap's",
        // jmp 31.
        set: |setup| (setup.program[0], setup.wrap) = (0x001F, (0, 30)),
    },
    Defect {
        what: "pins beyond the last do not go on at the first",
        why: "numbers are taken modulo 32 (PINCTRL); streams have ranges inside the port",
        // set pins, 31.
        set: |setup| (setup.program[0], setup.set) = (0xE01F, (30, 5)),
    },
    Defect {
        what: "MOV from STATUS ends the program",
        why: "PIO, MOV, source 101; streams have none",
        // mov x, status.
        set: |setup| setup.program[0] = 0xA025,
    },
];
