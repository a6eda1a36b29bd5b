//! Cycles. Semantics say what happened; these tables say how long it took, one file a core, one row a row of its manual.

mod m0plus;

use cyclescope_machine::TimingRow;

use crate::decode::Instruction;

pub use m0plus::CORTEX_M0PLUS;

/// What an instruction costs without wait states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The index of the row that says so.
    pub row: usize,
    /// Its cycles; of a conditional branch, when it falls through.
    pub cycles: u32,
}

/// The timing of one core.
#[derive(Debug)]
pub struct CoreTiming {
    /// The core's name.
    pub core: &'static str,
    /// Every row, instructions first.
    pub rows: &'static [TimingRow],
    /// The cost of an instruction.
    pub cost: fn(&Instruction) -> Cost,
    /// The row of a conditional branch that is taken.
    pub branch_taken: usize,
    /// The row of exception entry, from the instruction boundary to the handler's first instruction.
    pub exception_entry: usize,
    /// The row of exception return, on top of the instruction that causes it.
    pub exception_return: usize,
    /// The row of going from one handler straight into the next.
    pub tail_chain: usize,
    /// The row that says how long into an entry a more urgent exception is still taken instead.
    pub late_arrival: usize,
    /// The row of waking from sleep.
    pub wake: usize,
    /// The row that says when, inside a load or store, its data phase is.
    pub data_phase: usize,
}

impl CoreTiming {
    /// The cycles of the row at `index`.
    pub fn cycles(&self, index: usize) -> u32 {
        self.rows[index].cycles
    }

    /// What a taken conditional branch costs on top of one that falls through.
    pub fn taken_extra(&self, fall_through: u32) -> u32 {
        self.cycles(self.branch_taken).saturating_sub(fall_through)
    }
}
