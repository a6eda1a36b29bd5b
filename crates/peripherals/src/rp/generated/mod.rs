//! Register maps written by `crates/peripherals/generate-rp`; do not edit.

pub mod adc;
pub mod busctrl;
pub mod clocks;
pub mod dma;
pub mod i2c0;
pub mod io_bank0;
pub mod io_qspi;
pub mod pads_bank0;
pub mod pads_qspi;
pub mod pio0;
pub mod pll_sys;
pub mod psm;
pub mod pwm;
pub mod resets;
pub mod rosc;
pub mod rtc;
pub mod sio;
pub mod spi0;
pub mod ssi;
pub mod syscfg;
pub mod sysinfo;
pub mod tbman;
pub mod timer;
pub mod uart0;
pub mod usb;
pub mod vreg_and_chip_reset;
pub mod watchdog;
pub mod xip_ctrl;
pub mod xosc;

use crate::{Map, Modelled};

/// All maps, each with its values after reset.
pub const ALL: &[(&Map, &[Modelled])] = &[
    (&adc::MAP, adc::RESETS),
    (&busctrl::MAP, busctrl::RESETS),
    (&clocks::MAP, clocks::RESETS),
    (&dma::MAP, dma::RESETS),
    (&i2c0::MAP, i2c0::RESETS),
    (&io_bank0::MAP, io_bank0::RESETS),
    (&io_qspi::MAP, io_qspi::RESETS),
    (&pads_bank0::MAP, pads_bank0::RESETS),
    (&pads_qspi::MAP, pads_qspi::RESETS),
    (&pio0::MAP, pio0::RESETS),
    (&pll_sys::MAP, pll_sys::RESETS),
    (&psm::MAP, psm::RESETS),
    (&pwm::MAP, pwm::RESETS),
    (&resets::MAP, resets::RESETS),
    (&rosc::MAP, rosc::RESETS),
    (&rtc::MAP, rtc::RESETS),
    (&sio::MAP, sio::RESETS),
    (&spi0::MAP, spi0::RESETS),
    (&ssi::MAP, ssi::RESETS),
    (&syscfg::MAP, syscfg::RESETS),
    (&sysinfo::MAP, sysinfo::RESETS),
    (&tbman::MAP, tbman::RESETS),
    (&timer::MAP, timer::RESETS),
    (&uart0::MAP, uart0::RESETS),
    (&usb::MAP, usb::RESETS),
    (&vreg_and_chip_reset::MAP, vreg_and_chip_reset::RESETS),
    (&watchdog::MAP, watchdog::RESETS),
    (&xip_ctrl::MAP, xip_ctrl::RESETS),
    (&xosc::MAP, xosc::RESETS),
];
