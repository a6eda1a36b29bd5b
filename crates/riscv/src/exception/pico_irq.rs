//! The state of PicoRV32's interrupts.

use super::lines::Lines;

/// The state of PicoRV32's interrupts.
#[derive(Clone, Debug)]
pub struct PicoIrq {
    /// q0 to q3.
    pub q: [u32; 4],
    /// irq_mask.
    pub mask: u32,
    /// The interrupts that are pending beside the inputs that are high now.
    pub latched: u32,
    /// A handler runs.
    pub active: bool,
    /// The instruction after retirq executes before the next interrupt is taken (irq_delay).
    pub delayed: bool,
    /// It did before the instruction that executes now, which keeps it so if it is waitirq.
    pub was_delayed: bool,
    /// waitirq has waited, and ends before what it waited for is served.
    pub resumed: bool,
    /// The cycle from which the timer's interrupt is pending; never if the timer stands at 0.
    pub expires: u64,
    /// The core has halted (its output `trap`).
    pub halted: bool,
}

impl Default for PicoIrq {
    fn default() -> Self {
        Self {
            q: [0; 4],
            mask: u32::MAX,
            latched: 0,
            active: false,
            delayed: false,
            was_delayed: false,
            resumed: false,
            expires: u64::MAX,
            halted: false,
        }
    }
}

impl PicoIrq {
    /// Tells whether the next instruction comes before any interrupt.
    pub(crate) fn holds(&self) -> bool {
        self.delayed || self.resumed
    }

    /// An instruction is executed.
    pub(crate) fn begin(&mut self) {
        self.was_delayed = std::mem::take(&mut self.delayed);
        self.resumed = false;
    }

    /// irq_pending.
    pub(crate) fn pending(&self, lines: &Lines) -> u32 {
        self.latched | lines.levels() as u32
    }
}
