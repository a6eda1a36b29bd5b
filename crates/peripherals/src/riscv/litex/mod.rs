//! LiteX's own cores as LiteX 2024.12 describes them (`litex/soc/integration/soc.py`, `litex/soc/cores/timer.py` and
//! `uart.py`, `litex/soc/interconnect/csr_eventmanager.py`), over banks of registers whose addresses depend on the version and
//! the options that a system was built with: they are the part's data ([`Bank`]).

mod control;
mod timer;
mod uart;

use cyclescope_machine::GapKind;

pub use control::{Absent, Control};
pub use timer::Timer;
pub use uart::Uart;

use super::Env;

/// A register of a bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Csr {
    /// Its name without the bank's.
    pub name: &'static str,
    /// Bytes from the bank's base.
    pub offset: u32,
    /// Words of 32 bits, the most significant first.
    pub words: u8,
}

/// The registers of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bank {
    /// The name of the core: `timer0`.
    pub name: &'static str,
    /// Its first address.
    pub base: u32,
    /// Its registers, by offset.
    pub registers: &'static [Csr],
}

impl Bank {
    /// The register that holds the word at `offset`, and how many words are below that one.
    fn at(&self, offset: u32) -> Option<(&'static Csr, u32)> {
        let csr = self.registers.iter().rfind(|csr| csr.offset <= offset)?;
        let word = (offset - csr.offset) / 4;
        (word < u32::from(csr.words)).then(|| (csr, u32::from(csr.words) - 1 - word))
    }

    /// The name of the register at `offset`; empty where there is none.
    fn name_at(&self, offset: u32) -> (&'static str, u32) {
        self.at(offset).map_or(("", 0), |(csr, word)| (csr.name, word))
    }

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
