//! VexRiscv as the package `pythondata-cpu-vexriscv` has its variants generated, over memories that acknowledge in the cycle after the
//! one that asks, one for instructions and one for data.
//!
//! Its pipeline (`pipeline/`) says when each instruction begins; the rows here are the cycles of the units that halt it. All is held
//! against the Verilog under Verilator, retirement by retirement (`cargo xtask oracle rtl`).

use cyclescope_engine::timing_rows;
use cyclescope_machine::{Evidence, TimingRow};

use super::{CoreBus, CoreTiming, Cost, DataPhase, Place, Wishbone, litedram, litex};
use crate::decode::Instruction;
use crate::pipeline::{FetchStages, Slave, Variant};

const RTL: &str = "VexRiscv_*.v (PyPI pythondata-cpu-vexriscv 1.0.1.post407) under Verilator";

const fn measured(name: &'static str, what: &'static str, cycles: u32) -> TimingRow {
    TimingRow { name, what, cycles, evidence: Evidence::Measured, source: RTL }
}

timing_rows! {
    Instruction = measured("instruction", "an instruction in the decode stage, while nothing halts that stage or those behind it", 1),
    Multiply = measured("multiply", "MUL, MULH, MULHSU, MULHU of the iterative unit: cycles in the memory stage beyond the first", 32),
    Divide = measured("divide", "DIV, DIVU, REM, REMU: cycles in the memory stage beyond the first", 33),
    Configure = measured("PMP configuration", "a write to pmpcfg0 to pmpcfg3: cycles in the execute stage beyond the first", 6),
    Address = measured("PMP address", "a write to pmpaddr0 to pmpaddr15: cycles in the execute stage beyond the first", 3),
    Pipeline = measured("pipeline", "caches, buses, interrupts, exceptions and resets, whose cycles the pipeline passes", 0),
}

const fn cycles(id: Id) -> u32 {
    ROWS[id as usize].cycles
}

/// As generated without an option.
const STANDARD: Variant = Variant {
    fetch: FetchStages::Cached(128),
    data_lines: 128,
    bypasses: true,
    passes_links: true,
    predicts: true,
    light_shifter: false,
    iterative_multiplier: false,
    waits: false,
    multiply: cycles(Id::Multiply),
    divide: cycles(Id::Divide),
    protect: [0; 2],
};

/// Without caches, multiplier, prediction, and without results that are passed on.
static MIN: Variant = Variant {
    fetch: FetchStages::Uncached,
    data_lines: 0,
    bypasses: false,
    predicts: false,
    light_shifter: true,
    ..STANDARD
};

/// 2 KB of instruction cache, no data cache, a shifter and a multiplier that iterate.
static LITE: Variant = Variant {
    fetch: FetchStages::Cached(64),
    data_lines: 0,
    passes_links: false,
    light_shifter: true,
    iterative_multiplier: true,
    ..STANDARD
};

static FULL: Variant = Variant { waits: true, ..STANDARD };
static IMAC: Variant = Variant { fetch: FetchStages::Compressed(128), ..FULL };
static SECURE: Variant = Variant { protect: [cycles(Id::Configure) as u8, cycles(Id::Address) as u8], ..FULL };

/// The rows of units that only some variants have.
const MULTIPLY: usize = Id::Multiply as usize;
const PROTECT: [usize; 2] = [Id::Configure as usize, Id::Address as usize];
const SINGLE_CYCLE: [usize; 3] = [MULTIPLY, PROTECT[0], PROTECT[1]];

const fn timing(core: &'static str, variant: &'static Variant, lacks: &'static [usize]) -> CoreTiming {
    CoreTiming {
        core,
        rows: ROWS,
        cost,
        split: None,
        division: None,
        misaligned: None,
        exception: |_| Id::Pipeline as usize,
        interrupt: Id::Pipeline as usize,
        interrupt_phase: None,
        reset: Id::Pipeline as usize,
        reset_empty: 0,
        stage: None,
        lacks,
        pipeline: Some(variant),
        bus: None,
        wake: Id::Pipeline as usize,
        recognition: Id::Pipeline as usize,
        data_phase: DataPhase::Begin(Id::Pipeline as usize),
        counter_phase: Id::Pipeline as usize,
    }
}

/// The variant `VexRiscv_Min`.
pub static VEXRISCV_MIN: CoreTiming =
    timing("VexRiscv, variant min", &MIN, &[MULTIPLY, Id::Divide as usize, PROTECT[0], PROTECT[1]]);
/// The variant `VexRiscv_Lite`.
pub static VEXRISCV_LITE: CoreTiming = timing("VexRiscv, variant lite", &LITE, &PROTECT);
/// The variant `VexRiscv`.
pub static VEXRISCV_STANDARD: CoreTiming = timing("VexRiscv, variant standard", &STANDARD, &SINGLE_CYCLE);
/// The variant `VexRiscv_Full`.
pub static VEXRISCV_FULL: CoreTiming = timing("VexRiscv, variant full", &FULL, &SINGLE_CYCLE);
/// The variant `VexRiscv_IMAC`.
pub static VEXRISCV_IMAC: CoreTiming = timing("VexRiscv, variant imac", &IMAC, &SINGLE_CYCLE);
/// The variant `VexRiscv_Secure`.
pub static VEXRISCV_SECURE: CoreTiming = timing("VexRiscv, variant secure", &SECURE, &[MULTIPLY]);

/// The core with compressed instructions and a PMP, of which no package has the Verilog.
static COMPRESSED_SECURE: Variant = Variant { fetch: FetchStages::Compressed(128), ..SECURE };
const TOGETHER: &str = "the variant imac's stages with the variant secure's PMP: no package has them together";

/// The rows of that core on a bus of LiteX: its own, then those of the bus.
static ON_BUS: [TimingRow; COUNT + litex::USUAL] = {
    let mut rows = [ROWS[0]; COUNT + litex::USUAL];
    let mut index = 0;
    while index < rows.len() {
        rows[index] = if index < COUNT { ROWS[index] } else { litex::ALL[index - COUNT] };
        index += 1;
    }
    let mut assumed = [Id::Configure, Id::Address, Id::Pipeline].as_slice();
    while let [id, rest @ ..] = assumed {
        let TimingRow { name, what, cycles, .. } = ROWS[*id as usize];
        rows[*id as usize] = TimingRow::assumed(name, what, cycles, TOGETHER);
        assumed = rest;
    }
    rows
};

/// VexRiscv with compressed instructions and a PMP, whose instructions and data share `bus`.
pub const fn vexriscv_on(bus: &'static Wishbone) -> CoreTiming {
    let registers = COUNT + litex::REGISTERS;
    CoreTiming {
        rows: &ON_BUS,
        bus: Some(CoreBus { wishbone: bus, rows: &[COUNT + litex::GRANT, COUNT + litex::MEMORY] }),
        data_phase: DataPhase::Begin(registers),
        ..timing("VexRiscv, imac with the PMP of secure", &COMPRESSED_SECURE, &[MULTIPLY])
    }
}

/// The rows of a variant on a bus of LiteX with any memory: its own, those of the bus, those of SDRAM.
static ON_ANY_BUS: [TimingRow; COUNT + litex::ALL.len() + litedram::ALL.len()] = {
    let mut rows = [ROWS[0]; COUNT + litex::ALL.len() + litedram::ALL.len()];
    let mut index = 0;
    while index < rows.len() {
        rows[index] = if index < COUNT {
            ROWS[index]
        } else if index < COUNT + litex::ALL.len() {
            litex::ALL[index - COUNT]
        } else {
            litedram::ALL[index - COUNT - litex::ALL.len()]
        };
        index += 1;
    }
    rows
};

/// The rows that every program uses: on the bus, with bursts, and the same with SDRAM.
static USED: [usize; 3 + litedram::ALL.len()] = {
    let mut used = [COUNT + litex::GRANT; 3 + litedram::ALL.len()];
    used[1] = COUNT + litex::MEMORY;
    used[2] = COUNT + litex::BURST;
    let mut index = 0;
    while index < litedram::ALL.len() {
        used[3 + index] = COUNT + litex::ALL.len() + index;
        index += 1;
    }
    used
};
/// The same with SDRAM and without bursts.
static USED_WORD_BY_WORD: [usize; 2 + litedram::ALL.len()] = {
    let mut used = [COUNT + litex::GRANT; 2 + litedram::ALL.len()];
    used[1] = COUNT + litex::MEMORY;
    let mut index = 0;
    while index < litedram::ALL.len() {
        used[2 + index] = COUNT + litex::ALL.len() + index;
        index += 1;
    }
    used
};

/// `variant`, whose instructions and data share `bus`.
pub fn variant_on(variant: &'static CoreTiming, bus: &'static Wishbone) -> CoreTiming {
    let any = |is: fn(Slave) -> bool| bus.regions.iter().any(|region| is(region.slave));
    let bursts = any(|slave| matches!(slave, Slave::Bursting(_)));
    let sdram = any(|slave| matches!(slave, Slave::Sdram(_)));
    let rows = match (bursts, sdram) {
        (false, false) => USED.split_at(2).0,
        (true, false) => USED.split_at(3).0,
        (true, true) => &USED,
        (false, true) => &USED_WORD_BY_WORD,
    };
    let registers = COUNT + if sdram { litex::REGISTERED } else { litex::REGISTERS };
    CoreTiming {
        rows: &ON_ANY_BUS,
        bus: Some(CoreBus { wishbone: bus, rows }),
        data_phase: DataPhase::Begin(registers),
        ..*variant
    }
}

fn cost(i: &Instruction, _: Place) -> Cost {
    let id = match i {
        _ if i.is_multiplication() => Id::Multiply,
        _ if i.is_division() => Id::Divide,
        _ if i.is_csr() && i.imm >> 4 & 0xFF == 0x3A => Id::Configure,
        _ if i.is_csr() && i.imm >> 4 & 0xFF == 0x3B => Id::Address,
        _ => Id::Instruction,
    };
    // What stands before it decides on its other cycles, and the caches.
    Cost { row: id as usize, cycles: cycles(Id::Instruction), taken: 0, taken_row: None, extra: 1, empty: [0; 2] }
}
