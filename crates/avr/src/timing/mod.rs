//! Cycles. Semantics say what happened; these tables say how long it took: one row a row of the manual.
//!
//! The instructions are the same on all of AVRe+ and depend only on the width of the program counter; what an interrupt
//! and waking up take is what each part's datasheet says.

mod avre;

use cyclescope_machine::TimingRow;

use crate::decode::Instruction;

pub use avre::{ATMEGA32U4, ATMEGA328P, WIDE_PC};

/// The cost of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The index of its row.
    pub row: usize,
    /// Its cycles; for a branch or skip under a condition, those when it falls through.
    pub cycles: u32,
    /// The cycles added when a branch is taken or a skip is made.
    pub taken: u32,
    /// The index of the row for that case.
    pub taken_row: Option<usize>,
}

/// The timing of one core.
#[derive(Debug)]
pub struct CoreTiming {
    /// The core's or part's name.
    pub core: &'static str,
    /// Every row, instructions first.
    pub rows: &'static [TimingRow],
    /// The row of an instruction and, if it branches or skips under a condition, the one when it does.
    pub cost: fn(&Instruction) -> Cost,
    /// The row that says how long after a request rises it is seen, at the end of an instruction.
    pub recognition: usize,
    /// The row that says how many instructions execute after SEI and RETI before an interrupt is served.
    pub delay: usize,
    /// The same of other writes to SREG that set I.
    pub delay_by_sreg: usize,
    /// The row of the way from an instruction's end to the first instruction at the vector.
    pub response: usize,
    /// The row of what is added to that when the core sleeps, beside the start-up time of the sleep mode.
    pub wake: usize,
    /// The row that says in which cycle of IN and OUT, from 0, a register sees the access.
    pub io_phase: usize,
    /// The row that says the same of loads, stores, PUSH and POP.
    pub data_phase: usize,
    /// The row that says in which cycle of SBI and CBI the bit is written.
    pub bit_phase: usize,
    /// The row that says in which cycle SBIC and SBIS look.
    pub skip_phase: usize,
}

impl CoreTiming {
    /// The cycles of the row at `index`.
    pub fn cycles(&self, index: usize) -> u32 {
        self.rows[index].cycles
    }
}
