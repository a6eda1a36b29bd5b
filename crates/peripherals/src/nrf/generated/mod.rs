//! Register maps written by `crates/peripherals/generate-nrf`; do not edit.

pub mod cc;
pub mod ccm_aar;
pub mod clock_power;
pub mod comp_lpcomp;
pub mod cryptocell;
pub mod ecb;
pub mod egu0;
pub mod fpu;
pub mod gpiote;
pub mod i2s;
pub mod mwu;
pub mod nfct;
pub mod nvmc;
pub mod p0;
pub mod pdm;
pub mod ppi;
pub mod pwm0;
pub mod qdec;
pub mod qspi;
pub mod radio;
pub mod rng;
pub mod rtc0;
pub mod rtc1;
pub mod saadc;
pub mod spi2;
pub mod spim3;
pub mod temp;
pub mod timer0;
pub mod timer3;
pub mod twispi0;
pub mod uarte0;
pub mod uarte1;
pub mod usbd;
pub mod wdt;

use crate::{Map, Modelled};

/// All maps, each with its values after reset.
pub const ALL: &[(&Map, &[Modelled])] = &[
    (&cc::MAP, cc::RESETS),
    (&ccm_aar::MAP, ccm_aar::RESETS),
    (&clock_power::MAP, clock_power::RESETS),
    (&comp_lpcomp::MAP, comp_lpcomp::RESETS),
    (&cryptocell::MAP, cryptocell::RESETS),
    (&ecb::MAP, ecb::RESETS),
    (&egu0::MAP, egu0::RESETS),
    (&fpu::MAP, fpu::RESETS),
    (&gpiote::MAP, gpiote::RESETS),
    (&i2s::MAP, i2s::RESETS),
    (&mwu::MAP, mwu::RESETS),
    (&nfct::MAP, nfct::RESETS),
    (&nvmc::MAP, nvmc::RESETS),
    (&p0::MAP, p0::RESETS),
    (&pdm::MAP, pdm::RESETS),
    (&ppi::MAP, ppi::RESETS),
    (&pwm0::MAP, pwm0::RESETS),
    (&qdec::MAP, qdec::RESETS),
    (&qspi::MAP, qspi::RESETS),
    (&radio::MAP, radio::RESETS),
    (&rng::MAP, rng::RESETS),
    (&rtc0::MAP, rtc0::RESETS),
    (&rtc1::MAP, rtc1::RESETS),
    (&saadc::MAP, saadc::RESETS),
    (&spi2::MAP, spi2::RESETS),
    (&spim3::MAP, spim3::RESETS),
    (&temp::MAP, temp::RESETS),
    (&timer0::MAP, timer0::RESETS),
    (&timer3::MAP, timer3::RESETS),
    (&twispi0::MAP, twispi0::RESETS),
    (&uarte0::MAP, uarte0::RESETS),
    (&uarte1::MAP, uarte1::RESETS),
    (&usbd::MAP, usbd::RESETS),
    (&wdt::MAP, wdt::RESETS),
];
