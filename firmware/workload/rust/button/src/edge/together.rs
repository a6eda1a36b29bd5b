//! The EXTI whose edges are pending in one register, with the lines' ports in SYSCFG: STM32F4 and L4.
//!
//! Source: RM0390, RM0383 and RM0351, "EXTI registers", "SYSCFG external interrupt configuration register".

use stm32_metapac::exti::regs::Lines;
use stm32_metapac::{EXTI, SYSCFG};

use crate::board::{BUTTON, BUTTON_PORT};

/// The button's line.
const LINE: usize = BUTTON.number();

/// Unmasks the line for both edges.
#[inline(always)]
pub fn start() {
    SYSCFG.exticr(LINE / 4).modify(|w| w.set_exti(LINE % 4, BUTTON_PORT));
    EXTI.rtsr(0).modify(|w| w.set_line(LINE, true));
    EXTI.ftsr(0).modify(|w| w.set_line(LINE, true));
    // Pulling the pin up may have been an edge.
    acknowledge();
    EXTI.imr(0).modify(|w| w.set_line(LINE, true));
}

/// Clears the button's pending edge.
#[inline(always)]
pub fn acknowledge() {
    EXTI.pr(0).write_value(Lines(1 << LINE));
}
