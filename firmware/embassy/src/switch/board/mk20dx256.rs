//! Teensy 3.2, for which Embassy has no HAL: SysTick as the clock, UART0 as the channel.

use cortex_m::Peripherals;
use cyclescope_switch::{Clock, Report, systick};
use panic_halt as _;

/// The board, started.
pub struct Board {
    board: cyclescope_switch::Board,
    clock: Clock,
}

impl Board {
    /// Rate of the board's clock, in hertz.
    pub const CLOCK_HZ: u32 = systick::HZ;

    /// Raises the processor clock and starts SysTick with one interrupt a millisecond.
    pub fn start() -> Self {
        let board = cyclescope_switch::Board::start();
        let core = Peripherals::take().expect("the peripherals are taken once, here");
        Self { board, clock: Clock::start(core.SYST) }
    }

    /// The clock, in its ticks.
    pub fn ticks(&self) -> u32 {
        self.clock.ticks()
    }

    /// Reports, masks interrupts and sleeps for ever.
    pub fn finish(self, report: &Report<'_>) -> ! {
        self.board.finish(report)
    }
}
