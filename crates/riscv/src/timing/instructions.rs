//! No core's timing: every instruction takes one cycle. For cores whose pipeline is not modelled; what it counts are
//! instructions, and its rows are marked so.

use cyclescope_engine::timing_rows;
use cyclescope_machine::TimingRow;

use super::{CoreTiming, Cost, DataPhase};

const WHY: &str = "no model of this core's pipeline: cycles are instructions";

timing_rows! {
    Instruction = TimingRow::assumed("instruction", "every instruction, taken branches and divisions included", 1, WHY),
    Trap = TimingRow::assumed("trap", "an exception or interrupt, up to the first instruction at its vector", 1, WHY),
    Nothing = TimingRow::assumed("nothing", "waking up, the other half of a misaligned access, ways of signals", 0, WHY),
}

/// One cycle an instruction.
pub static INSTRUCTIONS: CoreTiming = CoreTiming {
    core: "instructions",
    rows: ROWS,
    cost: |_, _| Cost { row: Id::Instruction as usize, cycles: 1, taken: 0, taken_row: None, extra: 0, empty: [0; 2] },
    split: None,
    division: None,
    misaligned: None,
    exception: |_| Id::Trap as usize,
    interrupt: Id::Trap as usize,
    interrupt_phase: None,
    reset: Id::Nothing as usize,
    reset_empty: 0,
    stage: None,
    lacks: &[],
    pipeline: None,
    bus: None,
    wake: Id::Nothing as usize,
    recognition: Id::Nothing as usize,
    data_phase: DataPhase::Begin(Id::Nothing as usize),
    counter_phase: Id::Nothing as usize,
};
