//! PicoRV32 with its fast multiplier, barrel shifter, divider, two register ports and compressed instructions
//! (ENABLE_FAST_MUL, BARREL_SHIFTER, ENABLE_DIV, ENABLE_REGS_DUALPORT, COMPRESSED_ISA, ENABLE_IRQ; TWO_CYCLE_ALU and
//! TWO_CYCLE_COMPARE off), over a memory that answers in the cycle in which it is asked (`mem_ready` with `mem_valid`).
//!
//! Its README gives cycles per instruction for aligned instructions of 32 bits; what is here follows picorv32.v, which is
//! where the README's numbers come from, and is held against it under Verilator (`cargo xtask oracle rtl`).
//!
//! An instruction of 32 bits across a word boundary takes a second fetch, which delays the launch of that instruction by a
//! cycle: it is charged to the one that goes before it. A taken branch pays it twice, for what it has fetched ahead and for
//! its target.

use cyclescope_engine::timing_rows;
use cyclescope_machine::{Evidence, TimingRow};

use super::{CoreTiming, Cost, DataPhase, Place};
use crate::decode::{Instruction, Op};
use crate::trap::Trap;

const README: &str = "PicoRV32 README, \"Cycles per Instruction Performance\"; picorv32.v under Verilator";
const RTL: &str = "picorv32.v 1.0 (PyPI pythondata-cpu-picorv32 1.0.post218), main state machine, under Verilator";

const fn documented(name: &'static str, what: &'static str, cycles: u32) -> TimingRow {
    TimingRow::documented(name, what, cycles, README)
}

const fn measured(name: &'static str, what: &'static str, cycles: u32) -> TimingRow {
    TimingRow { name, what, cycles, evidence: Evidence::Measured, source: RTL }
}

timing_rows! {
    Alu = documented("ALU", "operations with a register or a constant, shifts, LUI, AUIPC", 3),
    NotTaken = documented("branch not taken", "a conditional branch that falls through", 3),
    Taken = documented("branch taken", "a conditional branch that branches", 5),
    Jal = documented("JAL", "direct jump", 3),
    Jalr = documented("JALR", "indirect jump", 6),
    Load = documented("load", "a load from memory", 5),
    Store = documented("store", "a store to memory", 5),
    Multiply = measured("multiply", "MUL, MULH, MULHSU, MULHU with the fast multiplier", 6),
    Divide = documented("divide", "DIV, DIVU, REM, REMU", 40),
    Register = measured("register", "RDCYCLE and its like, getq, setq, maskirq, timer: nothing is fetched ahead", 4),
    Retirq = measured("retirq", "return from an interrupt", 5),
    Waitirq = measured("waitirq", "one that finds something pending", 3),
    Fence = measured("FENCE", "a fence", 3),
    Illegal = measured("illegal", "an instruction that the core does not have, up to where it raises its interrupt", 0),
    Split = measured("split", "the second fetch of an instruction of 32 bits across a word boundary", 1),
    Break = measured("break", "EBREAK and ECALL, up to the interrupt's being taken", 4),
    Halt = measured("illegal instruction", "the same of an instruction that nobody answers for", 21),
    Interrupt = measured("interrupt", "from where the next instruction would begin to the first at PROGADDR_IRQ", 4),
    InterruptPhase = measured("interrupt phase", "cycle of an interrupt, from 0, in which q1 is written and what is in it is cleared", 2),
    Reset = measured("reset", "from the end of a reset to the first instruction, aligned to words", 3),
    Wake = measured("wake", "waitirq's end after its interrupt is pending", 0),
    Recognition = measured("recognition", "from an input to where it is pending", 1),
    DataPhase = measured("data phase", "cycles before the end of a load or store in which data moves", 1),
    CounterPhase = measured("counter phase", "cycle of an instruction, from 0, in which counters and the timer are read", 1),
}

const SPLIT: u32 = ROWS[Id::Split as usize].cycles;

fn cost(i: &Instruction, place: Place) -> Cost {
    let (id, taken) = match i.op {
        _ if i.is_branch() => (Id::NotTaken, ROWS[Id::Taken as usize].cycles - ROWS[Id::NotTaken as usize].cycles),
        Op::Jal => (Id::Jal, 0),
        Op::Jalr => (Id::Jalr, 0),
        _ if i.is_load() => (Id::Load, 0),
        _ if i.is_store() => (Id::Store, 0),
        _ if i.is_multiplication() => (Id::Multiply, 0),
        _ if i.is_division() => (Id::Divide, 0),
        _ if i.is_csr() => (Id::Register, 0),
        Op::Getq | Op::Setq | Op::Maskirq | Op::Timer => (Id::Register, 0),
        Op::Retirq => (Id::Retirq, 0),
        Op::Waitirq => (Id::Waitirq, 0),
        Op::Fence => (Id::Fence, 0),
        Op::Illegal | Op::Ecall | Op::Ebreak | Op::FetchFault => (Id::Illegal, 0),
        _ => (Id::Alu, 0),
    };
    // What a jump has behind it is not fetched.
    let behind = !matches!(i.op, Op::Jal | Op::Jalr | Op::Retirq | Op::Illegal | Op::Ecall | Op::Ebreak);
    let split = if behind && place.next_is_split() { SPLIT } else { 0 };
    let taken_row = (taken > 0).then_some(Id::Taken as usize);
    Cost { row: id as usize, cycles: ROWS[id as usize].cycles + split, taken, taken_row, extra: 0, empty: [0; 2] }
}

fn exception(cause: u32) -> usize {
    let id = match cause {
        Trap::ILLEGAL => Id::Halt,
        Trap::LOAD_MISALIGNED => Id::Load,
        Trap::STORE_MISALIGNED => Id::Store,
        _ => Id::Break,
    };
    id as usize
}

/// PicoRV32, RV32IMC.
pub static PICORV32: CoreTiming = CoreTiming {
    core: "PicoRV32, fast multiplier, barrel shifter",
    rows: ROWS,
    cost,
    split: Some(Id::Split as usize),
    division: None,
    misaligned: None,
    exception,
    interrupt: Id::Interrupt as usize,
    interrupt_phase: Some(Id::InterruptPhase as usize),
    reset: Id::Reset as usize,
    reset_empty: 0,
    stage: None,
    lacks: &[],
    pipeline: None,
    bus: None,
    wake: Id::Wake as usize,
    recognition: Id::Recognition as usize,
    data_phase: DataPhase::End(Id::DataPhase as usize),
    counter_phase: Id::CounterPhase as usize,
};
