//! nRF52840 DK: both of its crystals, of 32 MHz and of 32.768 kHz.

use embassy_nrf::config::{Config, HfclkSource, LfclkSource};

/// The core's 64 MHz and the ports' 16 MHz are the first one's, embassy-time's ticks the second's.
pub fn configure(config: &mut Config) {
    config.hfclk_source = HfclkSource::ExternalXtal;
    config.lfclk_source = LfclkSource::ExternalXtal;
}
