//! A board without a HAL: its clock raised, and a channel that holds or sends the whole report.

#[cfg(feature = "rtt")]
mod rtt;
#[cfg(feature = "mk20dx256")]
mod uart;

#[cfg(feature = "rtt")]
use self::rtt::Channel;
#[cfg(feature = "mk20dx256")]
use self::uart::Channel;
use crate::Report;

/// The board, started.
pub struct Board {
    channel: Channel,
}

impl Board {
    /// Sets the flash as the vendor recommends, raises the clock, and opens the channel; call it once.
    pub fn start() -> Self {
        cyclescope_boards::raise_clock();
        Self { channel: Channel::open() }
    }

    /// Reports, masks interrupts and sleeps for ever.
    pub fn finish(self, report: &Report<'_>) -> ! {
        self.channel.say(report);
        cortex_m::interrupt::disable();
        // WFI falls through a pending exception: stop SysTick and forget its last tick.
        // SAFETY: nothing runs any more that would want it.
        unsafe { (*cortex_m::peripheral::SYST::PTR).csr.write(0) };
        cortex_m::peripheral::SCB::clear_pendst();
        loop {
            cortex_m::asm::wfi();
        }
    }
}
