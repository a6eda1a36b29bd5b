//! The Teensy 3.2: UART0 as the channel.

use cyclescope_boards::Uart;

use crate::Report;

/// The channel, open.
pub struct Channel(Uart);

impl Channel {
    pub fn open() -> Self {
        Self(Uart::open())
    }

    pub fn say(mut self, report: &Report<'_>) {
        // A port that waits for each byte cannot fail.
        let _ = report.write_to(&mut self.0);
        self.0.flush();
    }
}
