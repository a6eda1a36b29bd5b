//! Cycles. Semantics say what happened; these tables say how long it took: one row a row of the manual or of what the
//! core's own Verilog does.

mod ibex;
mod instructions;
pub mod litedram;
pub mod litex;
mod picorv32;
mod vexriscv;

use cyclescope_machine::TimingRow;

use crate::decode::Instruction;

pub use ibex::IBEX;
pub use instructions::INSTRUCTIONS;
pub use picorv32::PICORV32;
pub use vexriscv::{
    VEXRISCV_FULL, VEXRISCV_IMAC, VEXRISCV_LITE, VEXRISCV_MIN, VEXRISCV_SECURE, VEXRISCV_STANDARD, variant_on,
    vexriscv_on,
};

use crate::pipeline::Wishbone;
pub use crate::pipeline::{FetchStages, Variant};

/// The place of an instruction, as far as its time may depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its address.
    pub pc: u32,
    /// The address behind it.
    pub next_pc: u32,
    /// True if the instruction behind it has 32 bits.
    pub next_is_wide: bool,
}

impl Place {
    /// Tells whether the instruction behind it crosses a word boundary.
    pub const fn next_is_split(&self) -> bool {
        self.next_is_wide && self.next_pc & 2 != 0
    }
}

/// The cost of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The index of its row.
    pub row: usize,
    /// Its cycles; for a branch, those when it falls through.
    pub cycles: u32,
    /// The cycles added when a branch is taken.
    pub taken: u32,
    /// The index of the row for that case.
    pub taken_row: Option<usize>,
    /// The most cycles that operands and addresses may add.
    pub extra: u32,
    /// The cycles at its end in which the core has nothing to execute, then the same for a branch that is taken. Only cores
    /// with a [`Stage`] have them. The wait for a second word of a jump's target comes on top.
    pub empty: [u32; 2],
}

/// A division's time, which its operands decide.
#[derive(Clone, Copy, Debug)]
pub struct Division {
    /// The row of the most it takes.
    pub row: usize,
    /// Its cycles beyond the fewest, which a division by zero takes.
    pub extra: u32,
}

/// The interrupt timing of a core that takes interrupts only while no instruction is in its stage: Ibex.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// The row of the cycle in which the stage is empty behind an instruction, since an interrupt waits.
    pub drain: usize,
    /// The row of the cost of an interrupt that is gone before it is taken.
    pub withdrawn: usize,
    /// Cycles at the end of a trap's entry or return in which the stage is empty.
    pub behind_traps: u8,
}

/// The cycle of a load or store in which its data moves, given by a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataPhase {
    /// As many cycles after its first as the row says.
    Begin(usize),
    /// As many cycles before its end as the row says.
    End(usize),
}

impl DataPhase {
    /// The row.
    pub const fn row(self) -> usize {
        match self {
            Self::Begin(row) | Self::End(row) => row,
        }
    }
}

/// The bus between a core and its memory.
#[derive(Clone, Copy, Debug)]
pub struct CoreBus {
    /// Its slaves.
    pub wishbone: &'static Wishbone,
    /// The rows of its time that every program uses.
    pub rows: &'static [usize],
}

/// The timing of one core.
#[derive(Debug)]
pub struct CoreTiming {
    /// The core's name and configuration.
    pub core: &'static str,
    /// Every row, instructions first.
    pub rows: &'static [TimingRow],
    /// The cost of an instruction where it stands.
    pub cost: fn(&Instruction, Place) -> Cost,
    /// The row of what a jump, taken branch or trap takes on top when an instruction of 32 bits across a word boundary is its
    /// target.
    pub split: Option<usize>,
    /// The cycles that a division's operands add to its cost, if they add any.
    pub division: Option<Division>,
    /// The row of the second word of a misaligned load or store, on a core that does those.
    pub misaligned: Option<usize>,
    /// The row of an exception by its cause: from the beginning of the instruction that raises it to that of the first at
    /// the trap vector.
    pub exception: fn(u32) -> usize,
    /// The row of an interrupt: from the end of an instruction, or from a cycle in which the [`Stage`] is empty, to the
    /// beginning of the first at the trap vector.
    pub interrupt: usize,
    /// The row that says in which cycle of an interrupt, from 0, PicoRV32 takes note of what it serves.
    pub interrupt_phase: Option<usize>,
    /// The row of the time from a reset to the beginning of the first instruction.
    pub reset: usize,
    /// Cycles at the end of that in which the core has nothing to execute: of a core with a [`Stage`].
    pub reset_empty: u8,
    /// The interrupt timing, if the core takes interrupts only while no instruction is in its stage.
    pub stage: Option<Stage>,
    /// The rows of units that the core was generated without.
    pub lacks: &'static [usize],
    /// The pipeline, if it decides when each instruction begins: VexRiscv.
    pub pipeline: Option<&'static Variant>,
    /// The bus between a pipeline and its memory; without one instructions and data have a port each.
    pub bus: Option<CoreBus>,
    /// The row of what waking up from WFI takes.
    pub wake: usize,
    /// The row that says how long after a line moves the core sees it.
    pub recognition: usize,
    /// The cycle of a load or store in which a register sees the access.
    pub data_phase: DataPhase,
    /// The row that says in which cycle of an instruction, from 0, a counter is read.
    pub counter_phase: usize,
}

impl CoreTiming {
    /// The cycles of the row at `index`.
    pub fn cycles(&self, index: usize) -> u32 {
        self.rows[index].cycles
    }
}
