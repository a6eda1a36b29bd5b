//! The Cortex-M4, with and without its floating-point unit, zero wait states: Cortex-M4 Technical Reference Manual,
//! DDI 0439 (Arm 100166, r0p1).

use super::neighbour::waits_for_single;
use super::pipeline::pipeline;

/// A row of the floating-point table.
const fn fp_table(name: &'static str, what: &'static str, cycles: u32) -> TimingRow {
    TimingRow::documented(name, what, cycles, "Arm 100166 table 7-1")
}

pipeline! {
    manual: "Arm 100166",
    board: "STM32F407",
    first: {
        Data = table("data processing", "move, add, compare, logic, shift, extend, bit field, saturate, reverse, DSP arithmetic", 1),
    },
    behind_multiply: {
        MultiplyAccumulate = table("multiply-accumulate", "MLA, MLS and the multiplications of the DSP extension", 1),
        LongMultiply = table("long multiply", "UMULL, SMULL, UMLAL, SMLAL, UMAAL", 1),
    },
    behind_store: {
        StoreHidden = TimingRow::measured("store after a load", "STR and its narrower forms at base plus constant right after a load that does not make its address", 0,
            "measured on an STM32F407 (the repository jnk0le/random, notes on M3 and M4)"),
        MemoryChange = TimingRow::measured("memory change", "more, when a load or store that would overlap with the load before it goes to another RAM", 1,
            "measured on an STM32F407: no pipelining from one of SRAM1, SRAM2 and CCM to another (the repository jnk0le/random, notes on M3 and M4); the cycle is what pipelining saves"),
    },
    behind_fault: {
        Fp = fp_table("floating point", "VADD, VSUB, VMUL, VNMUL, VABS, VNEG, VCMP, VCVT, VMOV of a single, VMRS, VMSR", 1),
        FpAccumulate = fp_table("floating-point multiply-accumulate", "VMLA, VFMA and their negations", 3),
        FpDivide = fp_table("floating-point divide", "VDIV", 14),
        FpRoot = fp_table("floating-point square root", "VSQRT", 14),
        FpPair = fp_table("move two singles", "VMOV between two core registers and two singles or a double", 2),
        FpLoad = fp_table("floating-point load", "VLDR, VLDM, VPOP: plus one a single", 1),
        FpStore = fp_table("floating-point store", "VSTR, VSTM, VPUSH: plus one a single", 1),
        FpWait = TimingRow::documented("floating-point wait", "more, when the next instruction consumes the result of floating-point arithmetic", 1,
            "100166 §7.2.3: one cycle longer if the result is consumed by the following instruction"),
    },
    behind_entry: {
        EntryFp = TimingRow::documented("exception entry with floating point", "more, when s0 to s15 and FPSCR are stored at once (LSPEN 0)", 17,
            "Arm's knowledge base (interrupt latency of Cortex-M4F): up to 17 cycles more"),
        Lazy = TimingRow::assumed("lazy preservation", "when the handler's first floating-point instruction stores s0 to s15 and FPSCR", 17,
            "no figure in Arm 100166; taken as the words it stores, as at entry"),
    },
    behind_return: {
        ReturnFp = TimingRow::assumed("exception return with floating point", "more, when s0 to s15 and FPSCR are loaded", 17,
            "no figure in Arm 100166; taken as the words it loads"),
    },
}

fn own(i: &Instruction) -> Option<(Id, u32)> {
    match shape(i) {
        Shape::Fp => Some((Id::Fp, 0)),
        Shape::FpAccumulate => Some((Id::FpAccumulate, 0)),
        Shape::FpDivide => Some((Id::FpDivide, 0)),
        Shape::FpRoot => Some((Id::FpRoot, 0)),
        Shape::FpPair => Some((Id::FpPair, 0)),
        Shape::FpLoad(n) | Shape::FpLoadMultiple(n) => Some((Id::FpLoad, n)),
        Shape::FpStore(n) | Shape::FpStoreMultiple(n) => Some((Id::FpStore, n)),
        _ => None,
    }
}

fn waits_besides(i: &Instruction, context: &Context) -> Option<Id> {
    waits_for_single(i, context).then_some(Id::FpWait)
}

fn steps_besides(_: &Instruction) -> Option<Id> {
    None
}

const LONG_MULTIPLY: Option<fn(u32, u32) -> u32> = None;

/// The Cortex-M4F, which has floating point.
pub static CORTEX_M4F: CoreTiming = CoreTiming {
    core: "cortex-m4f",
    memory_change: Some(Id::MemoryChange as usize),
    entry_with_fp: Id::EntryFp as usize,
    return_with_fp: Id::ReturnFp as usize,
    lazy_preservation: Id::Lazy as usize,
    ..CORE
};

/// The Cortex-M4 without floating point: the same table, whose rows of that are never used.
pub static CORTEX_M4: CoreTiming = CoreTiming { core: "cortex-m4", ..CORTEX_M4F };
