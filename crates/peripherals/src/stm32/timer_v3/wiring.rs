//! The internal triggers of each part's timers: where ITR0 to ITR3 come from.
//!
//! A timer with one channel has no trigger output: its OC1 is the trigger, here the trigger CC1. A source that a part
//! lacks never comes.

use crate::Trigger;

/// The trigger output of `timer`.
const fn trgo(timer: &'static str) -> Option<Trigger> {
    Some((timer, "TRGO"))
}

/// The output compare signal of channel 1 of `timer`.
const fn oc1(timer: &'static str) -> Option<Trigger> {
    Some((timer, "CC1"))
}

/// ITR0 to ITR3 of a timer.
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

/// STM32C031 (RM0490, "TIM1 internal trigger connection", "TIM3 internal trigger connection"). ITR1 is TIM2, which larger
/// parts have.
const V3: &[Row] = &[
    ("TIM1", [None, trgo("TIM2"), trgo("TIM3"), oc1("TIM17")]),
    ("TIM3", [trgo("TIM1"), trgo("TIM2"), None, oc1("TIM14")]),
];

/// The internal triggers of `timer` of the registers' version `version`.
pub fn triggers(version: &str, timer: &str) -> [Option<Trigger>; 4] {
    let table = if version == "v3" { V3 } else { V1 };
    table.iter().find(|(name, _)| *name == timer).map_or([None; 4], |(_, triggers)| *triggers)
}
