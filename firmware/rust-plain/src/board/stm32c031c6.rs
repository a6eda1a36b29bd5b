//! Nucleo-C031C6: 48 MHz from HSI48, TIM3 as the clock, RTT as the channel.
//!
//! Source: RM0490, "Flash access control register" and "Reset and clock control".

use cyclescope_workload::Report;
use rtt_target::{ChannelMode, UpChannel, rtt_init};
use stm32_metapac::flash::vals::Latency;
use stm32_metapac::rcc::vals::{Hsidiv, Sw};
use stm32_metapac::{FLASH, RCC, TIM3};

/// Room for the whole report, so that it is complete with or without a debugger reading.
const REPORT_BYTES: usize = 1024;

/// The board, started.
pub struct Board {
    channel: UpChannel,
}

impl Board {
    /// Rate of the board's clock, in hertz.
    pub const CLOCK_HZ: u32 = 1000;

    /// Sets the flash as the vendor recommends for 48 MHz, then the clock, then starts TIM3.
    pub fn start() -> Self {
        let channels = rtt_init! {
            up: { 0: { size: REPORT_BYTES, mode: ChannelMode::NoBlockSkip, name: "Terminal" } }
        };

        FLASH.acr().modify(|w| {
            w.set_latency(Latency::WS1);
            w.set_prften(true);
            w.set_icen(true);
        });
        while FLASH.acr().read().latency() != Latency::WS1 {}

        // HSI48 runs and is selected after reset, divided by four.
        RCC.cr().modify(|w| w.set_hsidiv(Hsidiv::DIV1));
        while RCC.cfgr().read().sws() != Sw::HSISYS {}

        RCC.apbenr1().modify(|w| w.set_tim3en(true));
        // The bus needs a moment before the timer answers; reading the register back gives it.
        let _ = RCC.apbenr1().read();
        TIM3.psc().write_value((48_000_000 / Self::CLOCK_HZ - 1) as u16);
        // The prescaler is loaded by an update event.
        TIM3.egr().write(|w| w.set_ug(true));
        TIM3.cr1().modify(|w| w.set_cen(true));

        Self { channel: channels.up.0 }
    }

    /// The clock, in its ticks; it wraps after 65.5 s.
    pub fn ticks(&self) -> u32 {
        u32::from(TIM3.cnt().read().cnt())
    }

    /// Ticks from one reading of the clock to a later one, less than one wrap apart.
    pub fn between(before: u32, after: u32) -> u32 {
        after.wrapping_sub(before) & 0xFFFF
    }

    /// Reports, masks interrupts and sleeps for ever.
    pub fn finish(mut self, report: &Report<'_>) -> ! {
        // A channel that skips what does not fit cannot fail.
        let _ = report.write_to(&mut self.channel);
        cortex_m::interrupt::disable();
        loop {
            cortex_m::asm::wfi();
        }
    }
}
