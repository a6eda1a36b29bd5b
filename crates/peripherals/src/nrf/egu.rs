//! Event generator unit (nRF52840 PS, "EGU — Event generator unit"): a task for each event, so that software interrupts itself.

use crate::{Bank, Block, Clocks, Env, Instance, Instant, Modelled, Words, Write};

use super::signals::{Signals, Tasked};

/// EVENTS_TRIGGERED[0]; TASKS_TRIGGER[0] is the first register.
const TRIGGERED: u32 = 0x100;

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[];

/// The block.
#[derive(Clone, Debug)]
pub struct Egu {
    signals: Signals,
}

impl Egu {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self { signals: Signals::new(instance, PARTLY, &[]) }
    }
}

impl Tasked for Egu {
    fn signals(&mut self) -> &mut Signals {
        &mut self.signals
    }

    fn task(&mut self, task: u32, env: &mut Env<'_, '_>) {
        self.raise(TRIGGERED + task, env);
    }
}

impl Block<Words> for Egu {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.signals.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.access(offset, write, env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.signals.reset(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.signals.bank)
    }
}
