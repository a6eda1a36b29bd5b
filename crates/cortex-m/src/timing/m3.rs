//! The Cortex-M3, zero wait states: Cortex-M3 Technical Reference Manual, DDI 0337I (r2p1).

use super::pipeline::pipeline;

pipeline! {
    manual: "DDI 0337I",
    board: "STM32F103",
    first: {
        Data = table("data processing", "move, add, compare, logic, shift, extend, bit field, saturate, reverse", 1),
    },
    behind_multiply: {
        MultiplyAccumulate = table("multiply-accumulate", "MLA, MLS", 2),
        LongMultiply = table("long multiply", "UMULL, SMULL: the least of 3 to 5", 3),
        LongMultiplyAccumulate = table("long multiply-accumulate", "UMLAL, SMLAL: the least of 4 to 7", 4),
        LongMultiplyStep = TimingRow::assumed("long multiply, operand", "more, for each operand of more than 16 significant bits", 1,
            "DDI 0337I table 3-1 says 3 to 5 and 4 to 7, ended early by the size of the operands; the rule is not documented"),
    },
    behind_store: {
        StoreHidden = TimingRow::measured("store after a load", "STR and its narrower forms at base plus constant right after a load that does not make its address; without write-back", 0,
            "measured on an STM32F103 (the repository jnk0le/random, notes on M3 and M4)"),
    },
    behind_fault: {},
    behind_entry: {},
    behind_return: {},
}

fn own(i: &Instruction) -> Option<(Id, u32)> {
    match shape(i) {
        Shape::LongMultiplyAccumulate => Some((Id::LongMultiplyAccumulate, 0)),
        // With write-back only the first of a chain overlaps (jnk0le/random).
        Shape::Load if i.is_indexed() => Some((Id::Load, 0)),
        Shape::Store if i.is_indexed() => Some((Id::Store, 0)),
        _ => None,
    }
}

fn waits_besides(_: &Instruction, _: &Context) -> Option<Id> {
    None
}

fn steps_besides(i: &Instruction) -> Option<Id> {
    matches!(shape(i), Shape::LongMultiply | Shape::LongMultiplyAccumulate).then_some(Id::LongMultiplyStep)
}

const LONG_MULTIPLY: Option<fn(u32, u32) -> u32> = Some(long_multiply);

/// Ends early: a step for each operand that does not fit 16 bits.
fn long_multiply(n: u32, m: u32) -> u32 {
    let long = |value: u32| u32::from((value as i32).unsigned_abs() > 0xFFFF);
    ROWS[Id::LongMultiplyStep as usize].cycles * (long(n) + long(m))
}

/// The Cortex-M3. The notes that measured the change of memory on the M4 measured an STM32F103 too, which has one RAM.
pub static CORTEX_M3: CoreTiming = CoreTiming { core: "cortex-m3", ..CORE };
