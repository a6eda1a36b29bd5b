//! LiteX's own cores as LiteX 2024.12 describes them (`litex/soc/integration/soc.py`, `litex/soc/cores/timer.py` and
//! `uart.py`, `litex/soc/interconnect/csr_eventmanager.py`), over banks of registers whose addresses depend on the version and
//! the options that a system was built with: they are the part's data ([`Bank`]).

mod bank;
mod control;
mod timer;
mod uart;

use cyclescope_machine::GapKind;

pub use bank::{Bank, Csr};
pub use control::{Absent, Control};
pub use timer::Timer;
pub use uart::Uart;

use super::Env;

impl Bank {
    /// Names the register at `offset`, or the hole that is there, as a gap.
    #[cold]
    fn absent(&self, kind: GapKind, offset: u32, env: &mut Env<'_, '_>) {
        match self.at(offset) {
            Some((csr, _)) => env.gap(kind, format_args!("{}_{}", self.name, csr.name)),
            None => env.gap(kind, format_args!("{}+{offset:#x}", self.name)),
        }
    }

    /// A read of such a register: names the gap and gives 0.
    #[cold]
    fn read_absent(&self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        self.absent(GapKind::RegisterRead, offset, env);
        0
    }
}

/// An event manager: what has happened, and which of it interrupts.
#[derive(Clone, Copy, Debug, Default)]
struct Events {
    pending: u32,
    enabled: u32,
}

impl Events {
    fn drive(self, env: &mut Env<'_, '_>) {
        env.line(0, self.pending & self.enabled != 0);
    }
}
