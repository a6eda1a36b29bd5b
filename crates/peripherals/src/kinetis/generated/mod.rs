//! Register maps written by `crates/peripherals/generate-kinetis`; do not edit.

pub mod adc0;
pub mod aips0;
pub mod axbs;
pub mod can0;
pub mod cmp0;
pub mod cmt;
pub mod crc;
pub mod dac0;
pub mod dma;
pub mod dmamux;
pub mod ewm;
pub mod fmc;
pub mod ftfl;
pub mod ftm0;
pub mod ftm1;
pub mod i2c0;
pub mod i2s0;
pub mod llwu;
pub mod lptmr0;
pub mod mcg;
pub mod mcm;
pub mod osc;
pub mod pdb0;
pub mod pit;
pub mod pmc;
pub mod porta;
pub mod pta;
pub mod rcm;
pub mod rfsys;
pub mod rfvbat;
pub mod rtc;
pub mod sim;
pub mod smc;
pub mod spi0;
pub mod tsi0;
pub mod uart0;
pub mod uart1;
pub mod usb0;
pub mod usbdcd;
pub mod vref;
pub mod wdog;

use crate::{Map, Modelled};

/// All maps, each with its values after reset.
pub const ALL: &[(&Map, &[Modelled])] = &[
    (&adc0::MAP, adc0::RESETS),
    (&aips0::MAP, aips0::RESETS),
    (&axbs::MAP, axbs::RESETS),
    (&can0::MAP, can0::RESETS),
    (&cmp0::MAP, cmp0::RESETS),
    (&cmt::MAP, cmt::RESETS),
    (&crc::MAP, crc::RESETS),
    (&dac0::MAP, dac0::RESETS),
    (&dma::MAP, dma::RESETS),
    (&dmamux::MAP, dmamux::RESETS),
    (&ewm::MAP, ewm::RESETS),
    (&fmc::MAP, fmc::RESETS),
    (&ftfl::MAP, ftfl::RESETS),
    (&ftm0::MAP, ftm0::RESETS),
    (&ftm1::MAP, ftm1::RESETS),
    (&i2c0::MAP, i2c0::RESETS),
    (&i2s0::MAP, i2s0::RESETS),
    (&llwu::MAP, llwu::RESETS),
    (&lptmr0::MAP, lptmr0::RESETS),
    (&mcg::MAP, mcg::RESETS),
    (&mcm::MAP, mcm::RESETS),
    (&osc::MAP, osc::RESETS),
    (&pdb0::MAP, pdb0::RESETS),
    (&pit::MAP, pit::RESETS),
    (&pmc::MAP, pmc::RESETS),
    (&porta::MAP, porta::RESETS),
    (&pta::MAP, pta::RESETS),
    (&rcm::MAP, rcm::RESETS),
    (&rfsys::MAP, rfsys::RESETS),
    (&rfvbat::MAP, rfvbat::RESETS),
    (&rtc::MAP, rtc::RESETS),
    (&sim::MAP, sim::RESETS),
    (&smc::MAP, smc::RESETS),
    (&spi0::MAP, spi0::RESETS),
    (&tsi0::MAP, tsi0::RESETS),
    (&uart0::MAP, uart0::RESETS),
    (&uart1::MAP, uart1::RESETS),
    (&usb0::MAP, usb0::RESETS),
    (&usbdcd::MAP, usbdcd::RESETS),
    (&vref::MAP, vref::RESETS),
    (&wdog::MAP, wdog::RESETS),
];
