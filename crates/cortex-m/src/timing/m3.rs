//! The Cortex-M3, zero wait states: Cortex-M3 Technical Reference Manual, DDI 0337I (r2p1).

use cyclescope_machine::{RowSet, TimingRow};

use super::neighbour::{folds, is_hidden, is_indexed, overlaps, waits_for_address, waits_for_link, waits_for_store};
use super::shape::{Shape, shape};
use super::{Context, CoreTiming, Cost, is_forwarded, rows};
use crate::decode::{Instruction, Op};

const TABLE: &str = "DDI 0337I table 3-1";
const PAIRS: &str = "DDI 0337I §3.3.3";

/// A row of the instruction table.
const fn table(name: &'static str, what: &'static str, cycles: u32) -> TimingRow {
    TimingRow::documented(name, what, cycles, TABLE)
}

rows! {
    Data = table("data processing", "move, add, compare, logic, shift, extend, bit field, saturate, reverse", 1),
    Multiply = table("multiply", "MUL", 1),
    MultiplyAccumulate = table("multiply-accumulate", "MLA, MLS", 2),
    LongMultiply = table("long multiply", "UMULL, SMULL: the least of 3 to 5", 3),
    LongMultiplyAccumulate = table("long multiply-accumulate", "UMLAL, SMLAL: the least of 4 to 7", 4),
    LongMultiplyStep = TimingRow::assumed("long multiply, operand", "more, for each operand of more than 16 significant bits", 1,
        "DDI 0337I table 3-1 says 3 to 5 and 4 to 7, ended early by the size of the operands; the rule is not documented"),
    Divide = table("divide", "UDIV, SDIV: the least of 2 to 12", 2),
    DivideStep = TimingRow::assumed("divide, quotient bits", "bits of the quotient that a further cycle yields, after two more to begin", 4,
        "DDI 0337I table 3-1 says 2 to 12, ended early by leading ones and zeros of the operands; the rate is not documented"),
    Load = table("load", "LDR and its narrower, unprivileged and exclusive forms", 2),
    LoadOverlapped = TimingRow::documented("load or store after a load", "LDR, or STR at base plus register, right after a load whose result is not in its address", 1, PAIRS),
    Store = TimingRow::documented("store", "STR and its narrower forms at base plus constant: the data is stored beside the next instruction", 1, PAIRS),
    StoreHidden = TimingRow::measured("store after a load", "STR and its narrower forms at base plus constant right after a load that does not make its address; without write-back", 0,
        "measured on an STM32F103 (the repository jnk0le/random, notes on M3 and M4)"),
    LoadAfterStore = TimingRow::measured("load after a store", "more, when a load of one or several registers stands right after a store of one", 1,
        "measured on an STM32F103 (the repository jnk0le/random, notes on M3 and M4)"),
    NopHidden = TimingRow::measured("hint, hidden", "NOP right after a load, or after a store at base plus register", 0,
        "measured on an STM32F103 (the repository jnk0le/random, notes on M3 and M4)"),
    StoreIndexed = table("store, register offset", "STR and its narrower forms at base plus register, STREX", 2),
    AddressWait = TimingRow::documented("address wait", "more, when the address is a result of the data processing right before", 1, PAIRS),
    LoadMultiple = table("load multiple", "LDRD, LDM and POP without PC: plus one a register", 1),
    StoreMultiple = table("store multiple", "STRD, STM and PUSH: plus one a register", 1),
    Unaligned = TimingRow::documented("unaligned access", "each further piece of an access that is not aligned", 1, PAIRS),
    LoadPc = TimingRow::documented("load to PC", "LDR PC: two cycles for the load, three for the pipeline to refill", 5, PAIRS),
    LoadMultiplePc = TimingRow::assumed("load multiple with PC", "LDM and POP with PC: plus one a register", 4,
        "DDI 0337I table 3-1: 1+N+P; P taken as 3, as DDI 0337I §3.3.3 says of LDR PC"),
    Table = TimingRow::documented("table branch", "TBB and TBH: two for the load, one to add, three to refill", 6, PAIRS),
    NotTaken = table("branch not taken", "B<cond>, CBZ and CBNZ that fall through", 1),
    Taken = TimingRow::assumed("branch taken", "B, BL and B<cond> that are taken: 1+P", 2,
        "DDI 0337I table 3-1: P is 1 to 3; taken as 1, since fetch turns to the target while the branch is decoded (DDI 0337G table 15-3)"),
    CompareTaken = TimingRow::assumed("compare and branch taken", "CBZ and CBNZ that are taken: 1+P", 3,
        "DDI 0337I table 3-1: P is 1 to 3; taken as 2, since fetch turns to the target while the branch is executed (DDI 0337G table 15-3)"),
    Forwarded = TimingRow::assumed("branch to the link register", "BX LR, BLX LR and MOV PC, LR unless the instruction before writes LR: 1+P", 2,
        "DDI 0337I table 3-1: P is 1 to 3; taken as 1, since LR is forwarded while the branch is decoded (DDI 0337G §1.5, table 15-3)"),
    Indirect = TimingRow::assumed("indirect branch", "BX, BLX and data processing that writes PC: 1+P", 3,
        "DDI 0337I table 3-1: P is 1 to 3; taken as 2, since fetch turns to the target while the branch is executed (DDI 0337G table 15-3)"),
    UnalignedTarget = TimingRow::assumed("unaligned target", "more, when a branch goes to a 32-bit instruction across a word boundary", 1,
        "DDI 0337I table 3-1: P depends on the alignment and width of the target; taken as one more fetch"),
    SystemFetch = TimingRow::measured("target on the system bus", "more, when a branch, an exception or a return goes to code at 0x20000000 or above", 1,
        "measured on an STM32F103 (blaatschaap's delay loops: SUBS and BHI in RAM take four cycles a turn) and on STM32F4 (modm's); DDI 0337G §1.4: fetches over the system bus are registered"),
    It = table("if-then", "IT", 1),
    ItFolded = TimingRow::documented("if-then, folded", "IT right after a 16-bit instruction", 0,
        "DDI 0337I table 3-1, note: IT can be folded onto a preceding 16-bit instruction and takes no cycle"),
    Skipped = TimingRow::assumed("skipped", "an instruction that its condition skips", 1, "not in DDI 0337I table 3-1; one cycle of issue"),
    Hint = table("hint", "NOP, SEV, YIELD, CLREX and hints that do nothing", 1),
    Wait = TimingRow::assumed("wait", "WFE and WFI, the time asleep not counted", 1, "DDI 0337I table 3-1: 1+W; W taken as the time asleep alone"),
    State = TimingRow::assumed("state change", "CPS", 2, "DDI 0337I table 3-1: 1 or 2"),
    Special = TimingRow::assumed("special register", "MRS and MSR", 2, "DDI 0337I table 3-1: 1 or 2"),
    InstructionBarrier = TimingRow::assumed("instruction barrier", "ISB", 4, "DDI 0337I table 3-1: 1+B; B taken as the refill of an empty pipeline"),
    DataBarrier = TimingRow::assumed("data barrier", "DMB and DSB with nothing in the write buffer", 2, "DDI 0337I table 3-1: 1+B; B taken as 1"),
    Call = TimingRow::assumed("supervisor call", "SVC before its exception entry", 1, "DDI 0337I table 3-1 leaves SVC blank; one cycle of issue"),
    Breakpoint = TimingRow::assumed("breakpoint", "BKPT, the halt not counted", 1, "DDI 0337I table 3-1 leaves BKPT blank"),
    Fault = TimingRow::assumed("undefined", "an instruction that faults, before its exception entry", 1, "not in DDI 0337I table 3-1"),
    Entry = TimingRow::documented("exception entry", "from the instruction boundary to the handler's first instruction", 12,
        "DDI 0337I §3.9 and Arm's knowledge base (interrupt latency of Cortex-M): 12 cycles at zero wait states"),
    Return = TimingRow::documented("exception return", "after the instruction that returns, to the first instruction returned to", 10,
        "Arm's knowledge base 103489845, which calls the 12 of DDI 0439 §3.9.1 a typographical error"),
    TailChain = TimingRow::documented("tail-chain", "from the returning instruction to the next handler's first instruction", 6,
        "DDI 0337I §3.9: six cycles at zero wait states"),
    LateArrival = TimingRow::assumed("late arrival", "cycles into an entry during which a more urgent exception replaces it", 10,
        "DDI 0337I §3.9: until the first instruction of the handler enters the execute stage; taken as two cycles before it runs"),
    Wake = TimingRow::assumed("wake-up", "from the waking event to the next instruction or exception entry", 0,
        "no figure for sleep without clock stopping; the part adds its own where it stops clocks"),
    DataPhase = TimingRow::assumed("data phase", "cycle of a load or store, from 0, in which a device sees it", 1,
        "AHB-Lite: address phase in the first cycle, data phase in the second"),
    FetchLatency = TimingRow::assumed("fetch latency", "from the address phase of its fetch to an instruction's execution, at the least", 3,
        "DDI 0337G §1.4: fetch, decode, execute; address and data phase make the fetch two cycles"),
    FetchBuffer = TimingRow::documented("fetch buffer", "words that the fetch unit has room for", 3,
        "DDI 0337G §1.4; Arm's knowledge base 103488664: a word a cycle is fetched while there is room"),
}

fn cost(i: &Instruction, context: &Context) -> Cost {
    let (row, more) = match shape(i) {
        Shape::Data => (Id::Data, 0),
        Shape::Multiply => (Id::Multiply, 0),
        Shape::MultiplyAccumulate | Shape::DspMultiply => (Id::MultiplyAccumulate, 0),
        Shape::LongMultiply => (Id::LongMultiply, 0),
        Shape::LongMultiplyAccumulate => (Id::LongMultiplyAccumulate, 0),
        Shape::Divide => (Id::Divide, 0),
        // With write-back only the first of a chain (jnk0le/random).
        Shape::Load if overlaps(i, context) && !is_indexed(i) => (Id::LoadOverlapped, 0),
        Shape::Load => (Id::Load, 0),
        Shape::Store if overlaps(i, context) && !is_indexed(i) => (Id::StoreHidden, 0),
        Shape::Store => (Id::Store, 0),
        Shape::StoreIndexed | Shape::StoreExclusive if overlaps(i, context) => (Id::LoadOverlapped, 0),
        Shape::StoreIndexed | Shape::StoreExclusive => (Id::StoreIndexed, 0),
        Shape::LoadDouble => (Id::LoadMultiple, 2),
        Shape::StoreDouble => (Id::StoreMultiple, 2),
        Shape::LoadMultiple(n) => (Id::LoadMultiple, n),
        Shape::StoreMultiple(n) => (Id::StoreMultiple, n),
        Shape::LoadPc => (Id::LoadPc, 0),
        Shape::LoadMultiplePc(n) => (Id::LoadMultiplePc, n),
        Shape::Table => (Id::Table, 0),
        Shape::Branch => (Id::Taken, 0),
        Shape::BranchIf => (Id::NotTaken, 0),
        Shape::BranchIndirect if is_forwarded(i) && !waits_for_link(context) => (Id::Forwarded, 0),
        Shape::BranchIndirect => (Id::Indirect, 0),
        Shape::It if folds(i, context) => (Id::ItFolded, 0),
        Shape::It => (Id::It, 0),
        Shape::Hint if is_hidden(i, context) => (Id::NopHidden, 0),
        Shape::Hint => (Id::Hint, 0),
        Shape::Wait => (Id::Wait, 0),
        Shape::State => (Id::State, 0),
        Shape::Special => (Id::Special, 0),
        Shape::InstructionBarrier => (Id::InstructionBarrier, 0),
        Shape::DataBarrier => (Id::DataBarrier, 0),
        Shape::Call => (Id::Call, 0),
        Shape::Breakpoint => (Id::Breakpoint, 0),
        Shape::Fault => (Id::Fault, 0),
        // The core has no floating-point unit: these fault.
        Shape::Fp | Shape::FpAccumulate | Shape::FpDivide | Shape::FpRoot | Shape::FpPair => (Id::Fault, 0),
        Shape::FpLoad(_) | Shape::FpStore(_) | Shape::FpLoadMultiple(_) | Shape::FpStoreMultiple(_) => (Id::Fault, 0),
    };
    let cycles = |id: Id| ROWS[id as usize].cycles;
    let mut own = cycles(row) + more;
    let mut taken = 0;
    if waits_for_address(i, context) {
        own += cycles(Id::AddressWait);
    }
    if waits_for_store(i, context) {
        own += cycles(Id::LoadAfterStore);
    }
    let mut target = if context.target_unaligned { cycles(Id::UnalignedTarget) } else { 0 };
    if context.target_on_system_bus {
        target += cycles(Id::SystemFetch);
    }
    match shape(i) {
        Shape::Branch => own += target,
        Shape::BranchIf => taken = cycles(taken_row(i)) - cycles(Id::NotTaken) + target,
        _ => {}
    }
    // A division's steps; an unaligned access's pieces; an indirect target's fetch.
    let indirect = cycles(Id::UnalignedTarget) + cycles(Id::SystemFetch);
    let most_extra = match shape(i) {
        Shape::Divide => division(u32::MAX, 1, false),
        Shape::LongMultiply | Shape::LongMultiplyAccumulate => long_multiply(1 << 31, 1 << 31),
        _ if i.moves_data() || i.loads_pc() => 2 * cycles(Id::Unaligned) + indirect,
        Shape::BranchIndirect | Shape::Table => indirect,
        _ => 0,
    };
    Cost { row: row as usize, cycles: own, taken, most_extra }
}

/// The row of a branch under a condition that is taken: CBZ and CBNZ compare, so their target is asked for later.
fn taken_row(i: &Instruction) -> Id {
    if matches!(i.op, Op::Cbz | Op::Cbnz) { Id::CompareTaken } else { Id::Taken }
}

/// Rows that apply beside the instruction's own.
fn also(i: &Instruction, context: &Context, rows: &mut RowSet) {
    let conditions = [
        (waits_for_address(i, context), Id::AddressWait),
        (context.target_unaligned, Id::UnalignedTarget),
        (context.target_on_system_bus, Id::SystemFetch),
        (waits_for_store(i, context), Id::LoadAfterStore),
        (shape(i) == Shape::BranchIf, taken_row(i)),
        (shape(i) == Shape::Divide, Id::DivideStep),
        (matches!(shape(i), Shape::LongMultiply | Shape::LongMultiplyAccumulate), Id::LongMultiplyStep),
    ];
    for (_, row) in conditions.into_iter().filter(|(applies, _)| *applies) {
        rows.insert(row as usize);
    }
}

/// Ends early: so many bits of the quotient a cycle, once two cycles have begun it.
fn division(dividend: u32, divisor: u32, signed: bool) -> u32 {
    let (dividend, divisor) =
        if signed { ((dividend as i32).unsigned_abs(), (divisor as i32).unsigned_abs()) } else { (dividend, divisor) };
    if divisor == 0 || dividend < divisor {
        return 0;
    }
    let bits = divisor.leading_zeros() - dividend.leading_zeros() + 1;
    2 + bits.div_ceil(ROWS[Id::DivideStep as usize].cycles)
}

/// Ends early: a step for each operand that does not fit 16 bits.
fn long_multiply(n: u32, m: u32) -> u32 {
    let long = |value: u32| u32::from((value as i32).unsigned_abs() > 0xFFFF);
    ROWS[Id::LongMultiplyStep as usize].cycles * (long(n) + long(m))
}

/// The Cortex-M3.
pub static CORTEX_M3: CoreTiming = CoreTiming {
    core: "cortex-m3",
    rows: ROWS,
    cost,
    also,
    division,
    long_multiply: Some(long_multiply),
    unaligned_target: ROWS[Id::UnalignedTarget as usize].cycles,
    system_fetch: Some(Id::SystemFetch as usize),
    // The notes that say so of the M4 say it of an STM32F103 too, which has one RAM.
    memory_change: None,
    skipped: ROWS[Id::Skipped as usize].cycles,
    unaligned: Id::Unaligned as usize,
    exception_entry: Id::Entry as usize,
    entry_with_fp: Id::Entry as usize,
    exception_return: Id::Return as usize,
    return_with_fp: Id::Return as usize,
    lazy_preservation: Id::Entry as usize,
    tail_chain: Id::TailChain as usize,
    late_arrival: Id::LateArrival as usize,
    wake: Id::Wake as usize,
    data_phase: Id::DataPhase as usize,
    fetch_latency: Id::FetchLatency as usize,
    fetch_buffer: Id::FetchBuffer as usize,
    fetches_aside: true,
};
