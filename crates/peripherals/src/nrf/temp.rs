//! Temperature sensor (nRF52840 PS, "TEMP — Temperature sensor") of a die at 25 °C, whatever its trimming.

use cyclescope_machine::TimingRow;

use crate::{Bank, Block, Clocks, Env, Instance, Instant, Modelled, Tree, Words, Write};

use super::signals::{Signals, Tasked};

const START: u32 = 0x00;
const DATARDY: u32 = 0x100;
const TEMP: u32 = 0x508;

/// The temperature in quarters of a degree.
const TEMPERATURE: u32 = 25 * 4;

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[];

/// The time of a measurement.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "temp.measurement",
    "microseconds from START to DATARDY",
    36,
    "nRF52840 PS v1.7, TEMP, Electrical specification: tTEMP, typical; \
     the figure is from memory and was not read in the document",
)];

/// The block.
#[derive(Clone, Debug)]
pub struct Temp {
    signals: Signals,
    ready_at: Instant,
}

impl Temp {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self { signals: Signals::new(instance, PARTLY, &[]), ready_at: Instant::NEVER }
    }
}

impl Tasked for Temp {
    fn signals(&mut self) -> &mut Signals {
        &mut self.signals
    }

    fn task(&mut self, task: u32, env: &mut Env<'_, '_>) {
        self.ready_at = Instant::NEVER;
        if task == START {
            let count = env.cycles(&ROWS[0]);
            self.ready_at = env.now().after(env.clocks().microseconds(count));
        }
        env.schedule(0, self.ready_at);
    }
}

impl Block<Words> for Temp {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.signals.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.access(offset, write, env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        if env.now() >= self.ready_at {
            self.ready_at = Instant::NEVER;
            self.signals.bank.set(TEMP, TEMPERATURE);
            self.raise(DATARDY, env);
        }
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        env.schedule(0, self.ready_at);
    }

    fn refine(&mut self, times: u64) {
        self.ready_at = self.ready_at.refined(times);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.signals.reset(env);
        self.ready_at = Instant::NEVER;
        env.cancel(0);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.signals.bank)
    }
}
