//! The LX6 of the ESP32: its data memories answer in two cycles (XCHAL_DATA_PIPE_DELAY is 2), which the vendor calls seven
//! stages: one more for fetches, one more for data.

use cyclescope_engine::timing_rows;
use cyclescope_machine::TimingRow;

use super::{Class, CoreTiming, Cost};

/// The manual's chapter.
const MANUAL: &str = "Xtensa ISA Reference Manual RC-2010.1, section 8.4";
/// The compiler's description of the pipeline, which the vendor of the core wrote.
const COMPILER: &str = "GCC, config/xtensa/xtensa.md, latencies of the pipeline model";
/// The longer pipeline's reason.
const DELAY: &str = "section 8.4 of the ISA manual for five stages, and one more each for fetches and data";
const STAGES: &str = "seven stages are emptied and filled anew; no document of this core is published";
const NONE: &str = "no document of this core is published";
const DIVIDER: &str = "two cycles a division, as WLED issue 4206 says of programs on the ESP32; not checked";

const fn documented(name: &'static str, what: &'static str, cycles: u32) -> TimingRow {
    TimingRow::documented(name, what, cycles, MANUAL)
}

const fn compiler(name: &'static str, what: &'static str, cycles: u32) -> TimingRow {
    TimingRow::documented(name, what, cycles, COMPILER)
}

const fn assumed(name: &'static str, what: &'static str, cycles: u32, source: &'static str) -> TimingRow {
    TimingRow::assumed(name, what, cycles, source)
}

timing_rows! {
    Issue = documented("issue", "an instruction", 1),
    LoadUse = assumed("load-use", "the result of a load comes later by", 2, DELAY),
    Taken = assumed("taken", "a branch that is taken, on top", 3, DELAY),
    Jump = assumed("jump", "a jump, call or return", 4, DELAY),
    Crossing = documented("crossing", "a target across a word of the fetch bus, on top", 1),
    MultiplyUse = compiler("multiply-use", "a product comes later by", 1),
    SpecialUse = compiler("special-use", "the result of RSR, XSR, RUR and RSIL comes later by", 1),
    FloatUse = compiler("float-use", "sums and products of the floating-point unit come later by", 3),
    ConvertUse = compiler("convert-use", "conversions of the floating-point unit come later by", 1),
    Divide = assumed("divide", "QUOU, QUOS, REMU, REMS", 2, DIVIDER),
    Conditional = assumed("S32C1I", "a conditional store: a load, a comparison and a store", 3, NONE),
    Unaligned = assumed("unaligned", "the second access of a load or store across words", 1, NONE),
    Sync = assumed("sync", "MEMW, EXTW, RSYNC, ESYNC, DSYNC and EXCW with nothing to wait for", 1, NONE),
    Isync = assumed("isync", "ISYNC, behind which fetching begins anew", 4, STAGES),
    Wait = assumed("WAITI", "up to the first cycle asleep", 1, NONE),
    Return = assumed("return", "RFE, RFDE, RFI, RFWO and RFWU", 4, NONE),
    Raising = assumed("raising", "an instruction that raises an exception: see there", 0, NONE),
    Exception = assumed("exception", "from an instruction to the first at the vector", 7, STAGES),
    Window = assumed("window exception", "from an instruction to the first at the window vector", 7, STAGES),
    Interrupt = assumed("interrupt", "from the end of an instruction to the first at the vector", 7, STAGES),
    Reset = assumed("reset", "from the end of a reset to the first instruction", 7, STAGES),
    Wake = assumed("wake", "from the end of WAITI to where it goes on", 1, NONE),
    Recognition = assumed("recognition", "from an interrupt line to the end of the cycle at which it counts", 1, NONE),
    DataPhase = assumed("data phase", "cycle of a load or store, from 0, in which a register sees it", 1, NONE),
    CounterPhase = assumed("counter phase", "cycle of an instruction, from 0, in which CCOUNT is read", 0, NONE),
}

fn cost(class: Class) -> Cost {
    let (row, late) = match class {
        Class::Load => (Id::Issue, Some(Id::LoadUse)),
        Class::ConditionalStore => (Id::Conditional, Some(Id::LoadUse)),
        Class::Multiply16 | Class::Multiply32 | Class::Mac => (Id::Issue, Some(Id::MultiplyUse)),
        Class::ReadSpecial => (Id::Issue, Some(Id::SpecialUse)),
        Class::Float => (Id::Issue, Some(Id::FloatUse)),
        Class::Convert => (Id::Issue, Some(Id::ConvertUse)),
        Class::Divide => (Id::Divide, None),
        Class::Jump => (Id::Jump, None),
        Class::Return => (Id::Return, None),
        Class::Isync => (Id::Isync, None),
        Class::Sync => (Id::Sync, None),
        Class::Wait => (Id::Wait, None),
        Class::Raising => (Id::Raising, None),
        Class::Plain | Class::Store | Class::FloatOther | Class::Branch => (Id::Issue, None),
    };
    Cost { row: row as usize, late: late.map(|late| late as usize) }
}

/// The core of the ESP32.
pub static LX6: CoreTiming = CoreTiming {
    core: "Xtensa LX6, seven stages",
    rows: ROWS,
    cost,
    taken: Id::Taken as usize,
    crossing: Id::Crossing as usize,
    unaligned: Id::Unaligned as usize,
    exception: Id::Exception as usize,
    window: Id::Window as usize,
    interrupt: Id::Interrupt as usize,
    reset: Id::Reset as usize,
    wake: Id::Wake as usize,
    recognition: Id::Recognition as usize,
    data_phase: Id::DataPhase as usize,
    counter_phase: Id::CounterPhase as usize,
};
