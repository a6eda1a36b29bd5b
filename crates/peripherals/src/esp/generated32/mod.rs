//! Register maps written by `crates/peripherals/generate-esp`; do not edit.

pub mod aes;
pub mod apb_ctrl;
pub mod dport;
pub mod efuse;
pub mod emac_ext;
pub mod flash_encryption;
pub mod frc_timer;
pub mod gmac;
pub mod gmac_dma;
pub mod gpio;
pub mod gpio_sd;
pub mod hinf;
pub mod i2c0;
pub mod i2s0;
pub mod io_mux;
pub mod ledc;
pub mod mcpwm0;
pub mod pcnt;
pub mod rmt;
pub mod rng;
pub mod rsa;
pub mod rtc_cntl;
pub mod rtc_i2c;
pub mod rtc_io;
pub mod sdhost;
pub mod sens;
pub mod sha;
pub mod slc;
pub mod slchost;
pub mod spi1;
pub mod timg0;
pub mod twai0;
pub mod uart0;
pub mod uhci1;

use crate::{Map, Modelled};

/// All maps, each with its values after reset.
pub const ALL: &[(&Map, &[Modelled])] = &[
    (&aes::MAP, aes::RESETS),
    (&apb_ctrl::MAP, apb_ctrl::RESETS),
    (&dport::MAP, dport::RESETS),
    (&efuse::MAP, efuse::RESETS),
    (&emac_ext::MAP, emac_ext::RESETS),
    (&flash_encryption::MAP, flash_encryption::RESETS),
    (&frc_timer::MAP, frc_timer::RESETS),
    (&gmac::MAP, gmac::RESETS),
    (&gmac_dma::MAP, gmac_dma::RESETS),
    (&gpio::MAP, gpio::RESETS),
    (&gpio_sd::MAP, gpio_sd::RESETS),
    (&hinf::MAP, hinf::RESETS),
    (&i2c0::MAP, i2c0::RESETS),
    (&i2s0::MAP, i2s0::RESETS),
    (&io_mux::MAP, io_mux::RESETS),
    (&ledc::MAP, ledc::RESETS),
    (&mcpwm0::MAP, mcpwm0::RESETS),
    (&pcnt::MAP, pcnt::RESETS),
    (&rmt::MAP, rmt::RESETS),
    (&rng::MAP, rng::RESETS),
    (&rsa::MAP, rsa::RESETS),
    (&rtc_cntl::MAP, rtc_cntl::RESETS),
    (&rtc_i2c::MAP, rtc_i2c::RESETS),
    (&rtc_io::MAP, rtc_io::RESETS),
    (&sdhost::MAP, sdhost::RESETS),
    (&sens::MAP, sens::RESETS),
    (&sha::MAP, sha::RESETS),
    (&slc::MAP, slc::RESETS),
    (&slchost::MAP, slchost::RESETS),
    (&spi1::MAP, spi1::RESETS),
    (&timg0::MAP, timg0::RESETS),
    (&twai0::MAP, twai0::RESETS),
    (&uart0::MAP, uart0::RESETS),
    (&uhci1::MAP, uhci1::RESETS),
];
