//! The LX106: LX3.0.1 with five stages.

use cyclescope_engine::timing_rows;
use cyclescope_machine::TimingRow;

use super::{Class, CoreTiming, Cost};

/// The manual's chapter.
const MANUAL: &str = "Xtensa ISA Reference Manual RC-2010.1, section 8.4";
/// The compiler's description of the pipeline, which the vendor of the core wrote.
const COMPILER: &str = "GCC, config/xtensa/xtensa.md, latencies of the pipeline model";
const STAGES: &str = "five stages are emptied and filled anew; no document of this core is published";
const NONE: &str = "no document of this core is published";

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
    LoadUse = documented("load-use", "the result of a load comes later by", 1),
    Taken = documented("taken", "a branch that is taken, on top", 2),
    Jump = documented("jump", "a jump, call or return", 3),
    Crossing = documented("crossing", "a target across a word of the fetch bus, on top", 1),
    MultiplyUse = compiler("multiply-use", "a product comes later by", 1),
    SpecialUse = compiler("special-use", "the result of RSR, XSR and RSIL comes later by", 1),
    Sync = assumed("sync", "MEMW, EXTW, RSYNC, ESYNC, DSYNC and EXCW with nothing to wait for", 1, NONE),
    Isync = assumed("isync", "ISYNC, behind which fetching begins anew", 3, STAGES),
    Wait = assumed("WAITI", "up to the first cycle asleep", 1, NONE),
    Return = assumed("return", "RFE, RFDE and RFI", 3, NONE),
    Raising = assumed("raising", "an instruction that raises an exception: see there", 0, NONE),
    Exception = assumed("exception", "from an instruction to the first at the vector", 5, STAGES),
    Interrupt = assumed("interrupt", "from the end of an instruction to the first at the vector", 5, STAGES),
    Reset = assumed("reset", "from the end of a reset to the first instruction", 5, STAGES),
    Wake = assumed("wake", "from the end of WAITI to where it goes on", 1, NONE),
    Recognition = assumed("recognition", "from an interrupt line to the end of the cycle at which it counts", 1, NONE),
    DataPhase = assumed("data phase", "cycle of a load or store, from 0, in which a register sees it", 1, NONE),
    CounterPhase = assumed("counter phase", "cycle of an instruction, from 0, in which CCOUNT is read", 0, NONE),
}

fn cost(class: Class) -> Cost {
    let (row, late) = match class {
        Class::Load | Class::ConditionalStore => (Id::Issue, Some(Id::LoadUse)),
        Class::Multiply16 | Class::Multiply32 => (Id::Issue, Some(Id::MultiplyUse)),
        Class::ReadSpecial => (Id::Issue, Some(Id::SpecialUse)),
        Class::Jump => (Id::Jump, None),
        Class::Return => (Id::Return, None),
        Class::Isync => (Id::Isync, None),
        Class::Sync => (Id::Sync, None),
        Class::Wait => (Id::Wait, None),
        Class::Raising => (Id::Raising, None),
        _ => (Id::Issue, None),
    };
    Cost { row: row as usize, late: late.map(|late| late as usize) }
}

/// The core of the ESP8266.
pub static LX106: CoreTiming = CoreTiming {
    core: "Xtensa LX106, five stages",
    rows: ROWS,
    cost,
    taken: Id::Taken as usize,
    crossing: Id::Crossing as usize,
    // It makes none.
    unaligned: Id::Issue as usize,
    exception: Id::Exception as usize,
    // It has none.
    window: Id::Exception as usize,
    interrupt: Id::Interrupt as usize,
    reset: Id::Reset as usize,
    wake: Id::Wake as usize,
    recognition: Id::Recognition as usize,
    data_phase: Id::DataPhase as usize,
    counter_phase: Id::CounterPhase as usize,
};
