//! The STM32 boards: RTT as the channel.

use cyclescope_workload::Report;
use rtt_target::{ChannelMode, UpChannel, rtt_init};

#[cfg(feature = "stm32c031c6")]
use crate::stm32c031c6::raise_clock;
#[cfg(feature = "stm32f103c8")]
use crate::stm32f103c8::raise_clock;
#[cfg(feature = "stm32f446ze")]
use crate::stm32f446ze::raise_clock;

/// Room for the whole report, so that it is complete with or without a debugger reading.
const REPORT_BYTES: usize = 1024;

/// The board, started.
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
