//! Register maps written by generators; do not edit.

pub mod adc_c0;
pub mod adc_f1;
pub mod adc_v2;
pub mod adccommon_c0;
pub mod adccommon_v2;
pub mod afio_f1;
pub mod bdma_v1;
pub mod bdma_v1_f1;
pub mod bkp_v1;
pub mod can_bxcan;
pub mod cec_v2;
pub mod crc_v1;
pub mod crc_v3;
pub mod dac_v2;
pub mod dbgmcu_c0;
pub mod dbgmcu_f1;
pub mod dbgmcu_f4;
pub mod dcmi_v1;
pub mod dma_v2;
pub mod dmamux_v1;
pub mod exti_c0;
pub mod exti_v1_f1;
pub mod exti_v1_f4;
pub mod flash_c0;
pub mod flash_f1;
pub mod flash_f4;
pub mod fmc_v2x1;
pub mod fmpi2c_v2;
pub mod gpio_v1;
pub mod gpio_v2;
pub mod gpio_v2_f4;
pub mod i2c_v1;
pub mod i2c_v2;
pub mod iwdg_v1;
pub mod iwdg_v2;
pub mod otg_v1;
pub mod pwr_c0;
pub mod pwr_f1;
pub mod pwr_f4;
pub mod quadspi_v1;
pub mod rcc_c0;
pub mod rcc_f1;
pub mod rcc_f4;
pub mod rtc_v1;
pub mod rtc_v2_f4;
pub mod rtc_v3_c0;
pub mod sai_v2;
pub mod sdmmc_v1;
pub mod spdifrx_v1;
pub mod spi_v1;
pub mod spi_v2_i2s;
pub mod spi_v3_i2s;
pub mod syscfg_c0;
pub mod syscfg_f4;
pub mod timer_v1_tim_1ch;
pub mod timer_v1_tim_2ch;
pub mod timer_v1_tim_adv;
pub mod timer_v1_tim_basic;
pub mod timer_v1_tim_gp16;
pub mod timer_v1_tim_gp32;
pub mod timer_v3_tim_1ch;
pub mod timer_v3_tim_1ch_cmp;
pub mod timer_v3_tim_adv;
pub mod timer_v3_tim_gp16;
pub mod uid_v1;
pub mod usart_v1;
pub mod usart_v2;
pub mod usart_v4;
pub mod usb_v1;
pub mod usbram_16x1_512;
pub mod wwdg_v1;
pub mod wwdg_v2;

use crate::Map;

/// All maps.
pub const ALL: &[&Map] = &[
    &adc_c0::MAP,
    &adc_f1::MAP,
    &adc_v2::MAP,
    &adccommon_c0::MAP,
    &adccommon_v2::MAP,
    &afio_f1::MAP,
    &bdma_v1::MAP,
    &bdma_v1_f1::MAP,
    &bkp_v1::MAP,
    &can_bxcan::MAP,
    &cec_v2::MAP,
    &crc_v1::MAP,
    &crc_v3::MAP,
    &dac_v2::MAP,
    &dbgmcu_c0::MAP,
    &dbgmcu_f1::MAP,
    &dbgmcu_f4::MAP,
    &dcmi_v1::MAP,
    &dma_v2::MAP,
    &dmamux_v1::MAP,
    &exti_c0::MAP,
    &exti_v1_f1::MAP,
    &exti_v1_f4::MAP,
    &flash_c0::MAP,
    &flash_f1::MAP,
    &flash_f4::MAP,
    &fmc_v2x1::MAP,
    &fmpi2c_v2::MAP,
    &gpio_v1::MAP,
    &gpio_v2::MAP,
    &gpio_v2_f4::MAP,
    &i2c_v1::MAP,
    &i2c_v2::MAP,
    &iwdg_v1::MAP,
    &iwdg_v2::MAP,
    &otg_v1::MAP,
    &pwr_c0::MAP,
    &pwr_f1::MAP,
    &pwr_f4::MAP,
    &quadspi_v1::MAP,
    &rcc_c0::MAP,
    &rcc_f1::MAP,
    &rcc_f4::MAP,
    &rtc_v1::MAP,
    &rtc_v2_f4::MAP,
    &rtc_v3_c0::MAP,
    &sai_v2::MAP,
    &sdmmc_v1::MAP,
    &spdifrx_v1::MAP,
    &spi_v1::MAP,
    &spi_v2_i2s::MAP,
    &spi_v3_i2s::MAP,
    &syscfg_c0::MAP,
    &syscfg_f4::MAP,
    &timer_v1_tim_1ch::MAP,
    &timer_v1_tim_2ch::MAP,
    &timer_v1_tim_adv::MAP,
    &timer_v1_tim_basic::MAP,
    &timer_v1_tim_gp16::MAP,
    &timer_v1_tim_gp32::MAP,
    &timer_v3_tim_1ch::MAP,
    &timer_v3_tim_1ch_cmp::MAP,
    &timer_v3_tim_adv::MAP,
    &timer_v3_tim_gp16::MAP,
    &uid_v1::MAP,
    &usart_v1::MAP,
    &usart_v2::MAP,
    &usart_v4::MAP,
    &usb_v1::MAP,
    &usbram_16x1_512::MAP,
    &wwdg_v1::MAP,
    &wwdg_v2::MAP,
];
