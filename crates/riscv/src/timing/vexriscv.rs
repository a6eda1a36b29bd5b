//! VexRiscv as the package `pythondata-cpu-vexriscv` has it generated, over memories that acknowledge in the cycle after the one that
//! asks, one for instructions and one for data.
//!
//! Its pipeline (`pipeline/`) says when each instruction begins; the rows here are the cycles of the units that halt it. All is held
//! against the Verilog under Verilator, retirement by retirement (`cargo xtask oracle rtl`).

use cyclescope_engine::timing_rows;
use cyclescope_machine::{Evidence, TimingRow};

use super::{CoreTiming, Cost, DataPhase, Place};
use crate::decode::Instruction;
use crate::pipeline::Variant;

const RTL: &str = "VexRiscv_*.v (PyPI pythondata-cpu-vexriscv 1.0.1.post407) under Verilator";

const fn measured(name: &'static str, what: &'static str, cycles: u32) -> TimingRow {
    TimingRow { name, what, cycles, evidence: Evidence::Measured, source: RTL }
}

timing_rows! {
    Instruction = measured("instruction", "an instruction in the decode stage, while nothing halts that stage or those behind it", 1),
    Multiply = measured("multiply", "MUL, MULH, MULHSU, MULHU of the iterative unit: cycles in the memory stage beyond the first", 32),
    Divide = measured("divide", "DIV, DIVU, REM, REMU: cycles in the memory stage beyond the first", 33),
    Load = measured("load", "from the last cycle of a load in the execute stage to the bus's answer", 2),
    Bus = measured("bus", "from the last cycle of a load or store in the execute stage to the first in which the bus takes another", 3),
    Fill = measured("fill", "from the miss of a fetch to the last of its line's eight words", 17),
    Nothing = measured("nothing", "interrupts, exceptions and resets, whose cycles the pipeline passes", 0),
    DataPhase = measured("data phase", "from the last cycle of a load or store in the execute stage to the bus's request", 1),
}

const fn cycles(id: Id) -> u32 {
    ROWS[id as usize].cycles
}

/// 2 KB of instruction cache, no data cache, a shifter and a multiplier that iterate, WFI as a no-operation.
static LITE: Variant = Variant {
    fetch_lines: 64,
    light_shifter: true,
    iterative_multiplier: true,
    waits: false,
    fill: cycles(Id::Fill),
    fill_row: Id::Fill as usize,
    answer: cycles(Id::Load),
    bus: cycles(Id::Bus),
    multiply: cycles(Id::Multiply),
    divide: cycles(Id::Divide),
};

/// The variant `VexRiscv_Lite`.
pub static VEXRISCV_LITE: CoreTiming = CoreTiming {
    core: "VexRiscv, variant lite",
    rows: ROWS,
    cost,
    split: None,
    division: None,
    misaligned: None,
    exception: |_| Id::Nothing as usize,
    interrupt: Id::Nothing as usize,
    interrupt_phase: None,
    reset: Id::Nothing as usize,
    reset_empty: 0,
    stage: None,
    pipeline: Some(&LITE),
    wake: Id::Nothing as usize,
    recognition: Id::Nothing as usize,
    data_phase: DataPhase::Begin(Id::DataPhase as usize),
    counter_phase: Id::Nothing as usize,
};

fn cost(i: &Instruction, _: Place) -> Cost {
    let id = match i {
        _ if i.is_multiplication() => Id::Multiply,
        _ if i.is_division() => Id::Divide,
        _ if i.is_load() => Id::Load,
        _ if i.is_store() => Id::Bus,
        _ => Id::Instruction,
    };
    // What stands before it decides on its other cycles, and the caches.
    Cost { row: id as usize, cycles: cycles(Id::Instruction), taken: 0, taken_row: None, extra: 1, empty: [0; 2] }
}
