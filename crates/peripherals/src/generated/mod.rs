//! Register maps written by `crates/peripherals/generate`; do not edit.

pub mod adc_c0;
pub mod adccommon_c0;
pub mod bdma_v1;
pub mod crc_v3;
pub mod dbgmcu_c0;
pub mod dmamux_v1;
pub mod exti_c0;
pub mod flash_c0;
pub mod gpio_v2;
pub mod i2c_v2;
pub mod iwdg_v2;
pub mod pwr_c0;
pub mod rcc_c0;
pub mod rtc_v3_c0;
pub mod spi_v3_i2s;
pub mod syscfg_c0;
pub mod timer_v3_tim_1ch;
pub mod timer_v3_tim_1ch_cmp;
pub mod timer_v3_tim_adv;
pub mod timer_v3_tim_gp16;
pub mod uid_v1;
pub mod usart_v4;
pub mod wwdg_v2;

use crate::Map;

/// All maps.
pub const ALL: &[&Map] = &[
    &adc_c0::MAP,
    &adccommon_c0::MAP,
    &bdma_v1::MAP,
    &crc_v3::MAP,
    &dbgmcu_c0::MAP,
    &dmamux_v1::MAP,
    &exti_c0::MAP,
    &flash_c0::MAP,
    &gpio_v2::MAP,
    &i2c_v2::MAP,
    &iwdg_v2::MAP,
    &pwr_c0::MAP,
    &rcc_c0::MAP,
    &rtc_v3_c0::MAP,
    &spi_v3_i2s::MAP,
    &syscfg_c0::MAP,
    &timer_v3_tim_1ch::MAP,
    &timer_v3_tim_1ch_cmp::MAP,
    &timer_v3_tim_adv::MAP,
    &timer_v3_tim_gp16::MAP,
    &uid_v1::MAP,
    &usart_v4::MAP,
    &wwdg_v2::MAP,
];
