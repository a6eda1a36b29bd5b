//! The Cortex-M0+, zero wait states, fast multiplier: Cortex-M0+ Technical Reference Manual, DDI 0484C (r0p1).

use cyclescope_engine::timing_rows;
use cyclescope_machine::TimingRow;

use super::{Context, CoreTiming, Cost};
use crate::decode::shape::{Shape, shape};
use crate::decode::{Instruction, Op};

const TABLE: &str = "DDI 0484C table 3-1";

/// A row of the instruction table.
const fn table(name: &'static str, what: &'static str, cycles: u32) -> TimingRow {
    TimingRow::documented(name, what, cycles, TABLE)
}

timing_rows! {
    Data = table("data processing", "move, add, subtract, compare, logic, shift, extend, reverse", 1),
    Multiply = table("multiply", "MULS with the single-cycle multiplier (STM32: RM0490; the small one takes 32)", 1),
    WritePc = table("write to pc", "ADD PC, PC, Rm and MOV PC, Rm", 2),
    Load = table("load", "LDR, LDRH, LDRB, LDRSH, LDRSB; one less on the single-cycle I/O port", 2),
    Store = table("store", "STR, STRH, STRB; one less on the single-cycle I/O port", 2),
    LoadMultiple = table("load multiple", "LDM and POP without pc: plus one a register", 1),
    StoreMultiple = table("store multiple", "STM and PUSH: plus one a register", 1),
    PopPc = TimingRow::assumed("pop with return", "POP with pc: plus one a register, pc included", 3,
        "DDI 0484C table 3-1 says 3+N; that N counts pc is not confirmed"),
    NotTaken = table("branch not taken", "B<cond> that falls through", 1),
    Taken = table("branch taken", "B<cond> that is taken", 2),
    Branch = table("branch", "B", 2),
    Link = table("branch with link", "BL", 3),
    Exchange = table("branch and exchange", "BX", 2),
    LinkExchange = table("branch with link and exchange", "BLX Rm", 2),
    State = table("state change", "CPS", 1),
    ReadSpecial = table("read special register", "MRS", 3),
    WriteSpecial = table("write special register", "MSR", 3),
    Hint = table("hint", "NOP, SEV, YIELD and hints that do nothing", 1),
    Wait = table("wait", "WFE and WFI, the time asleep not counted", 2),
    Barrier = table("barrier", "DMB, DSB, ISB", 3),
    Call = TimingRow::assumed("supervisor call", "SVC before its exception entry", 1,
        "table 3-1 leaves SVC blank; taken as one cycle of issue before the entry"),
    Breakpoint = TimingRow::assumed("breakpoint", "BKPT, the halt not counted", 1, "table 3-1 leaves BKPT blank"),
    Fault = TimingRow::assumed("undefined", "an instruction that faults, before its exception entry", 1,
        "not in table 3-1; taken as one cycle of issue before the entry"),
    Entry = TimingRow::documented("exception entry", "from the instruction boundary to the handler's first instruction", 15,
        "DDI 0484C §3.6.1: worst-case interrupt latency, zero wait states, no jitter suppression"),
    Return = TimingRow::assumed("exception return", "after the instruction that returns, to the first instruction returned to", 11,
        "no figure in DDI 0484C; the eight-word frame is read as by POP with pc of eight registers (3+8)"),
    TailChain = TimingRow::assumed("tail-chain", "from the returning instruction to the next handler's first instruction", 6,
        "DDI 0484C §3.6.1 names tail-chaining without a figure; 6 is the Cortex-M4's (DDI 0439 §3.9)"),
    LateArrival = TimingRow::assumed("late arrival", "cycles into an entry during which a more urgent exception replaces it", 9,
        "DDI 0484C §3.6.1 names late arrival without a figure; taken as the frame's address and eight data phases"),
    Wake = TimingRow::assumed("wake-up", "from the waking event to the next instruction or exception entry", 0,
        "no figure in DDI 0484C for sleep without clock stopping; the part adds its own where it stops clocks"),
    DataPhase = TimingRow::assumed("data phase", "cycle of a load or store, from 0, in which a device sees it", 1,
        "AHB-Lite: address phase in the first cycle, data phase in the second"),
    FetchLatency = TimingRow::assumed("fetch latency", "from the address phase of its fetch to an instruction's execution, at the least", 2,
        "DDI 0484C §1.2: a pipeline of two stages; address and data phase make the fetch two cycles"),
    FetchBuffer = TimingRow::assumed("fetch buffer", "words that the fetch unit has room for", 1,
        "DDI 0484C §1.2: fetches are of 32 bits; with two stages there is room for the half that is not decoded yet"),
}

fn cost(instruction: &Instruction, _: &Context) -> Cost {
    let (row, more) = match shape(instruction) {
        Shape::Data => (Id::Data, 0),
        Shape::Multiply => (Id::Multiply, 0),
        Shape::Load => (Id::Load, 0),
        Shape::Store | Shape::StoreIndexed => (Id::Store, 0),
        Shape::LoadMultiple(n) => (Id::LoadMultiple, n),
        Shape::StoreMultiple(n) => (Id::StoreMultiple, n),
        Shape::LoadMultiplePc(n) => (Id::PopPc, n),
        Shape::Branch if instruction.op == Op::Bl => (Id::Link, 0),
        Shape::Branch => (Id::Branch, 0),
        Shape::BranchIf => (Id::NotTaken, 0),
        Shape::BranchIndirect => match instruction.op {
            Op::Bx => (Id::Exchange, 0),
            Op::Blx => (Id::LinkExchange, 0),
            _ => (Id::WritePc, 0),
        },
        Shape::Hint => (Id::Hint, 0),
        Shape::Wait => (Id::Wait, 0),
        Shape::State => (Id::State, 0),
        Shape::Special if instruction.op == Op::Mrs => (Id::ReadSpecial, 0),
        Shape::Special => (Id::WriteSpecial, 0),
        Shape::InstructionBarrier | Shape::DataBarrier => (Id::Barrier, 0),
        Shape::Call => (Id::Call, 0),
        Shape::Breakpoint => (Id::Breakpoint, 0),
        Shape::Fault => (Id::Fault, 0),
        // Armv6-M has none of these: their encodings are undefined there.
        Shape::MultiplyAccumulate
        | Shape::LongMultiply
        | Shape::LongMultiplyAccumulate
        | Shape::DspMultiply
        | Shape::Divide
        | Shape::StoreExclusive
        | Shape::LoadDouble
        | Shape::StoreDouble
        | Shape::LoadPc
        | Shape::Table
        | Shape::It => (Id::Fault, 0),
        Shape::Fp | Shape::FpAccumulate | Shape::FpDivide | Shape::FpRoot | Shape::FpPair => (Id::Fault, 0),
        Shape::FpLoad(_) | Shape::FpStore(_) | Shape::FpLoadMultiple(_) | Shape::FpStoreMultiple(_) => (Id::Fault, 0),
    };
    let taken =
        if instruction.is_conditional() { ROWS[Id::Taken as usize].cycles - ROWS[row as usize].cycles } else { 0 };
    Cost { taken, ..Cost::fixed(row as usize, ROWS[row as usize].cycles + more) }
}

/// The Cortex-M0+.
pub static CORTEX_M0PLUS: CoreTiming = CoreTiming {
    core: "cortex-m0plus",
    rows: ROWS,
    cost,
    also: |instruction, _, rows| {
        if instruction.is_conditional() {
            rows.insert(Id::Taken as usize);
        }
    },
    division: |_, _, _| 0,
    division_bits: None,
    long_multiply: None,
    unaligned_target: 0,
    system_fetch: None,
    memory_change: None,
    skipped: 1,
    unaligned: Id::Fault as usize,
    entry_with_fp: Id::Entry as usize,
    return_with_fp: Id::Return as usize,
    lazy_preservation: Id::Entry as usize,
    exception_entry: Id::Entry as usize,
    exception_return: Id::Return as usize,
    tail_chain: Id::TailChain as usize,
    late_arrival: Id::LateArrival as usize,
    wake: Id::Wake as usize,
    data_phase: Id::DataPhase as usize,
    fetch_latency: Id::FetchLatency as usize,
    fetch_buffer: Id::FetchBuffer as usize,
    fetches_aside: false,
};
