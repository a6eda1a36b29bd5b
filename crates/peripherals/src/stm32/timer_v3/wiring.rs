//! The internal triggers of each part's timers: where ITR0 and the following come from.
//!
//! A timer with one channel has no trigger output: its OC1 is the trigger, here the trigger CC1. A source that a part
//! lacks never comes.

use crate::{Map, Trigger};

/// The trigger output of `timer`.
const fn trgo(timer: &'static str) -> Option<Trigger> {
    Some((timer, "TRGO"))
}

/// The output compare signal of channel 1 of `timer`.
const fn oc1(timer: &'static str) -> Option<Trigger> {
    Some((timer, "CC1"))
}

/// ITR0 and the following of a timer.
type Row = (&'static str, [Option<Trigger>; 4]);

/// STM32F1 and STM32F446 (RM0008 and RM0390, "TIMx internal trigger connection" of each chapter). The choice of TIM2's ITR1
/// in its option register, TIM2_OR, is not modelled.
const V1: &[Row] = &[
    ("TIM1", [trgo("TIM5"), trgo("TIM2"), trgo("TIM3"), trgo("TIM4")]),
    ("TIM8", [trgo("TIM1"), trgo("TIM2"), trgo("TIM4"), trgo("TIM5")]),
    ("TIM2", [trgo("TIM1"), trgo("TIM8"), trgo("TIM3"), trgo("TIM4")]),
    ("TIM3", [trgo("TIM1"), trgo("TIM2"), trgo("TIM5"), trgo("TIM4")]),
    ("TIM4", [trgo("TIM1"), trgo("TIM2"), trgo("TIM3"), trgo("TIM8")]),
    ("TIM5", [trgo("TIM2"), trgo("TIM3"), trgo("TIM4"), trgo("TIM8")]),
    ("TIM9", [trgo("TIM2"), trgo("TIM3"), oc1("TIM10"), oc1("TIM11")]),
    ("TIM12", [trgo("TIM4"), trgo("TIM5"), oc1("TIM13"), oc1("TIM14")]),
];

/// STM32L4 and L4+ (RM0351, RM0394 and RM0432, "TIMx internal trigger connection" of each chapter). The choice of TIM2's ITR1 in
/// its option register is not modelled.
const L4: &[Row] = &[
    ("TIM1", [trgo("TIM15"), trgo("TIM2"), trgo("TIM3"), trgo("TIM4")]),
    ("TIM8", [trgo("TIM1"), trgo("TIM2"), trgo("TIM4"), trgo("TIM5")]),
    ("TIM2", [trgo("TIM1"), trgo("TIM8"), trgo("TIM3"), trgo("TIM4")]),
    ("TIM3", [trgo("TIM1"), trgo("TIM2"), trgo("TIM15"), trgo("TIM4")]),
    ("TIM4", [trgo("TIM1"), trgo("TIM2"), trgo("TIM3"), trgo("TIM8")]),
    ("TIM5", [trgo("TIM2"), trgo("TIM3"), trgo("TIM4"), trgo("TIM8")]),
    ("TIM15", [trgo("TIM1"), trgo("TIM3"), oc1("TIM16"), oc1("TIM17")]),
];

/// STM32C0 and G0 (RM0490 and RM0444, "TIM1 internal trigger connection" and those of the other timers).
const V3: &[Row] = &[
    ("TIM1", [trgo("TIM15"), trgo("TIM2"), trgo("TIM3"), oc1("TIM17")]),
    ("TIM2", [trgo("TIM1"), trgo("TIM15"), trgo("TIM3"), oc1("TIM14")]),
    ("TIM3", [trgo("TIM1"), trgo("TIM2"), trgo("TIM15"), oc1("TIM14")]),
    ("TIM4", [trgo("TIM1"), trgo("TIM2"), trgo("TIM3"), oc1("TIM14")]),
    ("TIM15", [trgo("TIM2"), trgo("TIM3"), oc1("TIM16"), oc1("TIM17")]),
];

/// STM32G4, whose timers all have the same internal triggers but their own (RM0440, "TIMx internal trigger connection").
const V2: [Option<Trigger>; 10] = [
    trgo("TIM1"),
    trgo("TIM2"),
    trgo("TIM3"),
    trgo("TIM4"),
    trgo("TIM5"),
    trgo("TIM8"),
    trgo("TIM15"),
    oc1("TIM16"),
    oc1("TIM17"),
    trgo("TIM20"),
];

/// The internal triggers of `timer`, whose registers are `map`.
pub fn triggers(map: &Map, timer: &str) -> &'static [Option<Trigger>] {
    let table = match map.version {
        "v2" => return &V2,
        "v3" => V3,
        // STM32F1's and F4's timers have no OR1.
        _ if map.register("OR1").is_some() => L4,
        _ => V1,
    };
    table.iter().find(|(name, _)| *name == timer).map_or(&[], |(_, triggers)| triggers)
}
