//! The boards that QEMU knows: semihosting as the channel, no clock to raise.

use cortex_m_semihosting::{debug, hio};
use cyclescope_workload::Report;

/// The processor clock, in hertz: the nRF51's.
#[cfg(feature = "microbit")]
pub const CORE_HZ: u32 = 16_000_000;

/// The processor clock, in hertz: as the C contenders assume it.
#[cfg(feature = "lm3s6965evb")]
pub const CORE_HZ: u32 = 12_500_000;

/// The processor clock, in hertz: as AN386 sets the board.
#[cfg(feature = "mps2-an386")]
pub const CORE_HZ: u32 = 25_000_000;

/// The board, started.
pub struct Board {}

impl Board {
    /// Leaves the board as reset does.
    pub fn start() -> Self {
        Self {}
    }

    /// Reports and exits with 0, or with a failure if the host's console refused the text.
    pub fn finish(self, report: &Report<'_>) -> ! {
        cortex_m::interrupt::disable();
        let written = hio::hstdout().is_ok_and(|mut console| report.write_to(&mut console).is_ok());
        debug::exit(if written { debug::EXIT_SUCCESS } else { debug::EXIT_FAILURE });
        loop {
            cortex_m::asm::wfi();
        }
    }
}
