//! Ibex as it comes by default: two stages, fast multi-cycle multiplier (RV32MFast), no branch target ALU, no writeback
//! stage, no cache, no PMP; over memories that grant at once and answer in the next cycle, one for instructions and one for
//! data.
//!
//! The numbers of its Reference Guide ("Pipeline Details") count stalls; what is here counts whole instructions, and is held
//! against its SystemVerilog under Verilator (`cargo xtask oracle rtl`). The prefetch buffer is always ahead of straight
//! code. A jump to an instruction of 32 bits across a word boundary waits for its second word.

use cyclescope_engine::timing_rows;
use cyclescope_machine::{Evidence, TimingRow};

use super::{CoreTiming, Cost, DataPhase, Division, Place, Stage};
use crate::decode::{Instruction, Op};
use crate::trap::Trap;

const GUIDE: &str = "Ibex Reference Guide, Pipeline Details, stalls plus one; rtl/ under Verilator";
const RTL: &str = "Ibex rtl/ (PyPI pythondata-cpu-ibex 0.0.post2937) under Verilator";

const fn documented(name: &'static str, what: &'static str, cycles: u32) -> TimingRow {
    TimingRow::documented(name, what, cycles, GUIDE)
}

const fn measured(name: &'static str, what: &'static str, cycles: u32) -> TimingRow {
    TimingRow { name, what, cycles, evidence: Evidence::Measured, source: RTL }
}

timing_rows! {
    Integer = documented("integer", "integer computational instructions", 1),
    NotTaken = documented("branch not taken", "a conditional branch that falls through", 1),
    Taken = documented("branch taken", "a conditional branch that branches", 3),
    Jump = documented("jump", "JAL, JALR", 2),
    Load = documented("load", "a load that the memory answers at once", 2),
    Store = documented("store", "a store that the memory answers at once", 2),
    Multiply = documented("MUL", "MUL with the fast multiplier", 3),
    MultiplyHigh = documented("MULH", "MULH, MULHSU, MULHU with the fast multiplier", 4),
    Divide = measured("divide", "DIV, DIVU, REM, REMU; the guide's 37 stalls are its cycles", 37),
    DivideByZero = documented("divide by zero", "the same by zero", 2),
    Csr = documented("CSR", "access to a CSR", 1),
    CsrFlush = measured("CSR with a flush", "a write or set of mstatus, mie or the PMP, after which the pipeline begins anew", 3),
    Fence = measured("FENCE", "a fence", 1),
    FenceI = measured("FENCE.I", "a fence that fetches anew", 2),
    Mret = measured("MRET", "return from a trap", 3),
    Wfi = measured("WFI", "up to the end of the first cycle asleep", 4),
    Trapping = measured("trapping", "an instruction that raises an exception: see there", 0),
    Split = measured("split", "the second word of a jump's target of 32 bits across a word boundary", 1),
    Misaligned = measured("misaligned", "the second word of a misaligned load or store", 1),
    Exception = measured("exception", "from the beginning of an instruction to that of the first at the trap vector", 3),
    AccessFault = measured("access fault", "the same of a load or store that nothing answers", 4),
    Interrupt = measured("interrupt", "from the cycle in which the core sees it, no instruction in ID, to the first at its vector", 3),
    Drain = measured("drain", "the cycle without an instruction in ID that a waiting interrupt makes behind one", 1),
    Withdrawn = measured("withdrawn", "an interrupt that is gone before it is taken: the cycle in which it would have been", 1),
    Reset = measured("reset", "from the end of a reset to the first instruction", 3),
    Wake = measured("wake", "from the end of the cycle in which a sleeping core sees an interrupt to where it goes on", 1),
    Recognition = measured("recognition", "from an interrupt input to the first end of a cycle at which it counts", 1),
    DataPhase = measured("data phase", "cycle of a load or store, from 0, in which it is granted", 0),
    CounterPhase = measured("counter phase", "cycle of an instruction, from 0, in which counters are read", 0),
}

const fn cycles(id: Id) -> u32 {
    ROWS[id as usize].cycles
}

fn cost(i: &Instruction, place: Place) -> Cost {
    let (mut taken, mut extra, mut empty) = (0, 0, [0; 2]);
    let id = match i.op {
        _ if i.is_branch() => {
            taken = cycles(Id::Taken) - cycles(Id::NotTaken);
            // The first of three compares, the second jumps, and in the third the target is fetched.
            empty[1] = 1;
            Id::NotTaken
        }
        Op::Jal | Op::Jalr => Id::Jump,
        _ if i.is_load() || i.is_store() => {
            extra = cycles(Id::Misaligned);
            if i.is_load() { Id::Load } else { Id::Store }
        }
        Op::Mul => Id::Multiply,
        _ if i.is_multiplication() => Id::MultiplyHigh,
        _ if i.is_division() => {
            // What is static is the least it takes.
            extra = cycles(Id::Divide) - cycles(Id::DivideByZero);
            Id::DivideByZero
        }
        _ if i.is_csr() && flushes(i) => {
            empty[0] = 1;
            Id::CsrFlush
        }
        _ if i.is_csr() => Id::Csr,
        Op::Fence => Id::Fence,
        Op::FenceI => Id::FenceI,
        Op::Mret => Id::Mret,
        Op::Wfi => Id::Wfi,
        Op::Illegal | Op::Ecall | Op::Ebreak | Op::FetchFault => Id::Trapping,
        _ => Id::Integer,
    };
    let taken_row = (taken > 0).then_some(Id::Taken as usize);
    // A fence fetches what is behind it as if it jumped there.
    let split = if i.op == Op::FenceI && place.next_is_split() { cycles(Id::Split) } else { 0 };
    empty[0] += split;
    Cost { row: id as usize, cycles: cycles(id) + split, taken, taken_row, extra, empty }
}

/// Tells whether the access to the CSR of `i` flushes the pipeline: a write or set, not a clear, of mstatus, mie, mseccfg or
/// the PMP (ibex_id_stage.sv, csr_pipe_flush).
fn flushes(i: &Instruction) -> bool {
    let writes = match i.op {
        Op::Csrrw | Op::Csrrwi => true,
        Op::Csrrs | Op::Csrrsi => i.rs1 != 0,
        _ => false,
    };
    writes && matches!(i.imm & 0xFFF, 0x300 | 0x304 | 0x747 | 0x3A0..=0x3BF)
}

fn exception(cause: u32) -> usize {
    let id = match cause {
        Trap::LOAD_ACCESS | Trap::STORE_ACCESS => Id::AccessFault,
        _ => Id::Exception,
    };
    id as usize
}

/// Ibex, RV32IMC, with the fast multiplier.
pub static IBEX: CoreTiming = CoreTiming {
    core: "Ibex, two stages, fast multiplier",
    rows: ROWS,
    cost,
    split: Some(Id::Split as usize),
    division: Some(Division {
        row: Id::Divide as usize,
        extra: ROWS[Id::Divide as usize].cycles - ROWS[Id::DivideByZero as usize].cycles,
    }),
    misaligned: Some(Id::Misaligned as usize),
    exception,
    interrupt: Id::Interrupt as usize,
    interrupt_phase: None,
    reset: Id::Reset as usize,
    reset_empty: 1,
    stage: Some(Stage { drain: Id::Drain as usize, withdrawn: Id::Withdrawn as usize, behind_traps: 1 }),
    lacks: &[],
    pipeline: None,
    bus: None,
    wake: Id::Wake as usize,
    recognition: Id::Recognition as usize,
    data_phase: DataPhase::Begin(Id::DataPhase as usize),
    counter_phase: Id::CounterPhase as usize,
};
