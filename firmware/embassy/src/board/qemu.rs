//! The boards that QEMU knows: SysTick as the clock, semihosting as the channel.

use cyclescope_boards::Clock;
use cyclescope_workload::Report;
use panic_halt as _;

/// The board, started.
pub struct Board {
    board: cyclescope_boards::Board,
    clock: Clock,
}

impl Board {
    /// Rate of the board's clock, in hertz.
    pub const CLOCK_HZ: u32 = Clock::HZ;

    /// Starts SysTick with one interrupt a millisecond.
    pub fn start() -> Self {
        Self { board: cyclescope_boards::Board::start(), clock: Clock::start() }
    }

    /// The clock, in its ticks.
    pub fn ticks(&self) -> u32 {
        self.clock.ticks()
    }

    /// Reports and exits with 0, or with a failure if the host's console refused the text.
    pub fn finish(self, report: &Report<'_>) -> ! {
        self.board.finish(report)
    }
}
