//! The STM32 boards: RTT as the channel.

use rtt_target::{ChannelMode, UpChannel, rtt_init};

use crate::Report;

/// Room for the whole report, so that it is complete with or without a debugger reading.
const REPORT_BYTES: usize = 1024;

/// The channel, open.
pub struct Channel(UpChannel);

impl Channel {
    pub fn open() -> Self {
        let channels = rtt_init! {
            up: { 0: { size: REPORT_BYTES, mode: ChannelMode::NoBlockSkip, name: "Terminal" } }
        };
        Self(channels.up.0)
    }

    pub fn say(mut self, report: &Report<'_>) {
        // A channel that skips what does not fit cannot fail.
        let _ = report.write_to(&mut self.0);
    }
}
