//! The STM32 boards: RTT as the channel.
//!
//! A debugger finds the control block in RAM and reads the channel's buffer while the program runs or after it. No pin and
//! no interrupt takes part, so that the channel is the same on every part, whatever its serial ports are called.

use cyclescope_workload::Report;
use rtt_target::{ChannelMode, UpChannel, rtt_init};

use crate::board::raise_clock;

/// Bytes of the channel's buffer. The whole report has room in it, so that it is complete with or without a debugger that
/// reads.
const REPORT_BYTES: usize = 1024;

/// The board, started. It owns the channel, which a second call of [`Board::start`] would find taken; the report is the
/// only text that goes through it.
pub struct Board {
    channel: UpChannel,
}

impl Board {
    /// Opens the channel, sets the flash as the vendor recommends, then raises the clock; call it once.
    pub fn start() -> Self {
        let channels = rtt_init! {
            up: { 0: { size: REPORT_BYTES, mode: ChannelMode::NoBlockSkip, name: "Terminal" } }
        };
        raise_clock();
        Self { channel: channels.up.0 }
    }

    /// Reports, masks interrupts and sleeps for ever.
    pub fn finish(mut self, report: &Report<'_>) -> ! {
        // A channel that skips what does not fit cannot fail.
        let _ = report.write_to(&mut self.channel);
        cortex_m::interrupt::disable();
        // WFI falls through a pending exception: stop a runtime's SysTick and forget its last tick.
        // SAFETY: nothing runs any more that would want it.
        unsafe { (*cortex_m::peripheral::SYST::PTR).csr.write(0) };
        cortex_m::peripheral::SCB::clear_pendst();
        loop {
            cortex_m::asm::wfi();
        }
    }
}
