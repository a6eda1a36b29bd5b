//! The devices of Ibex's Simple System (`examples/simple_system`, `shared/rtl` of Ibex): the simulator's own registers,
//! and a timer.

use cyclescope_machine::{Channel, GapKind, TimingRow};

use super::{Env, Riscv, halves};
use crate::register::word;
use crate::{Access, Block, Field, Map, Serial, Write};

const OUT: u32 = 0x0;
const CTRL: u32 = 0x8;

/// The simulator's registers (`simulator_ctrl.sv`).
pub static CONTROL_MAP: Map = Map {
    kind: "simulator_ctrl",
    version: "ibex",
    registers: &[
        word("OUT", OUT, Access::WriteOnly, &[Field::new("CHAR", 0, 8)]),
        word("CTRL", CTRL, Access::WriteOnly, &[Field::new("HALT", 0, 1)]),
    ],
};

/// Characters and the end of the run. Neither takes time.
#[derive(Clone, Debug)]
pub struct SimulatorControl {
    number: u8,
}

impl SimulatorControl {
    /// With characters as the serial port `number`.
    pub fn new(number: u8) -> Self {
        Self { number }
    }
}

impl Serial<Riscv> for SimulatorControl {
    fn number(&self) -> u8 {
        self.number
    }

    fn listens(&self) -> bool {
        false
    }

    /// It has no way in.
    fn receive(&mut self, _: &[u8], _: &mut Env<'_, '_>) {}
}

impl Block<Riscv> for SimulatorControl {
    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            OUT if write.lanes & 0xFF != 0 => {
                env.context.console.write(Channel::Uart(self.number), &[write.value as u8]);
            }
            CTRL if write.ones() & 1 != 0 => env.exit(0),
            OUT | CTRL => {}
            _ => env.hole(GapKind::RegisterWrite, offset),
        }
    }

    fn reset(&mut self, _: &mut Env<'_, '_>) {}
}

const MTIME: u32 = 0x0;
const MTIMEH: u32 = 0x4;
const MTIMECMP: u32 = 0x8;
const MTIMECMPH: u32 = 0xC;

/// The timer's registers (`timer.sv`).
pub static TIMER_MAP: Map = Map {
    kind: "timer",
    version: "ibex",
    registers: &[
        word("MTIME", MTIME, Access::ReadWrite, &[Field::new("LOW", 0, 32)]),
        word("MTIMEH", MTIMEH, Access::ReadWrite, &[Field::new("HIGH", 0, 32)]),
        word("MTIMECMP", MTIMECMP, Access::ReadWrite, &[Field::new("LOW", 0, 32)]),
        word("MTIMECMPH", MTIMECMPH, Access::ReadWrite, &[Field::new("HIGH", 0, 32)]),
    ],
};

/// From the cycle in which mtime reaches mtimecmp to the one in which the interrupt is high.
pub static INTERRUPT: TimingRow = TimingRow::measured(
    "timer interrupt",
    "from the cycle in which mtime is mtimecmp, or after that of a write, to the one in which the line is high",
    1,
    "Ibex, shared/rtl/timer.sv: interrupt_q is a register",
);

/// The timer: it counts cycles since power-on.
#[derive(Clone, Debug, Default)]
pub struct IbexTimer {
    /// The difference between mtime and the clock's count.
    ahead: u64,
    compare: u64,
    /// The interrupt, which stays until mtimecmp is written.
    pending: bool,
}

impl IbexTimer {
    fn time(&self, env: &Env<'_, '_>) -> u64 {
        env.now().wrapping_add(self.ahead)
    }

    /// Has the interrupt come when it is due. What was written holds from the next cycle on.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        if self.pending {
            return env.schedule(0, u64::MAX);
        }
        let later = env.cycles(&INTERRUPT);
        let left = self.compare.saturating_sub(self.time(env)).max(1);
        env.schedule(0, env.now().saturating_add(left).saturating_add(later));
    }
}

impl Block<Riscv> for IbexTimer {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        match offset {
            MTIME => self.time(env) as u32,
            MTIMEH => (self.time(env) >> 32) as u32,
            MTIMECMP => self.compare as u32,
            MTIMECMPH => (self.compare >> 32) as u32,
            _ => env.read_hole(offset),
        }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let high = offset & 4 != 0;
        match offset {
            MTIME | MTIMEH => {
                // The half that is written stands in the next cycle; the other counts on.
                let next = halves(self.time(env).wrapping_add(1), high, write);
                self.ahead = next.wrapping_sub(env.now() + 1);
            }
            MTIMECMP | MTIMECMPH => {
                self.compare = halves(self.compare, high, write);
                self.pending = false;
                env.line(0, false);
            }
            _ => return env.hole(GapKind::RegisterWrite, offset),
        }
        self.settle(env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        self.pending = true;
        env.line(0, true);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        *self = Self { ahead: 0u64.wrapping_sub(env.now()), ..Self::default() };
        env.line(0, false);
        self.settle(env);
    }
}
