//! The EXTI whose rising and falling edges are pending apart, with the lines' ports: STM32C0 and G0.
//!
//! Source: RM0490 and RM0444, "EXTI registers".

use stm32_metapac::EXTI;
use stm32_metapac::exti::regs::Lines;

use crate::board::{BUTTON, BUTTON_PORT};

/// The button's line.
const LINE: usize = BUTTON.number();

/// Unmasks the line for both edges.
#[inline(always)]
pub fn start() {
    EXTI.exticr(LINE / 4).modify(|w| w.set_exti(LINE % 4, BUTTON_PORT));
    EXTI.rtsr(0).modify(|w| w.set_line(LINE, true));
    EXTI.ftsr(0).modify(|w| w.set_line(LINE, true));
    // Pulling the pin up may have been an edge.
    acknowledge();
    EXTI.imr(0).modify(|w| w.set_line(LINE, true));
}

/// Clears the button's pending edge, of either way.
#[inline(always)]
pub fn acknowledge() {
    EXTI.rpr(0).write_value(Lines(1 << LINE));
    EXTI.fpr(0).write_value(Lines(1 << LINE));
}
