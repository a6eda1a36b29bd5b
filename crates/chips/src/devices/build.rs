//! From an instance's kind and version to its block.

use cyclescope_peripherals::crc_v3::CrcV3;
use cyclescope_peripherals::dma_v1::DmaV1;
use cyclescope_peripherals::dmamux_v1::DmamuxV1;
use cyclescope_peripherals::exti_c0::ExtiC0;
use cyclescope_peripherals::flash_c0::FlashC0;
use cyclescope_peripherals::gpio_v2::GpioV2;
use cyclescope_peripherals::iwdg_v2::IwdgV2;
use cyclescope_peripherals::rcc_c0::RccC0;
use cyclescope_peripherals::small::{self, Small};
use cyclescope_peripherals::timer_v3::TimerV3;
use cyclescope_peripherals::usart_v4::UsartV4;
use cyclescope_peripherals::wwdg_v2::WwdgV2;
use cyclescope_peripherals::{Device, Instance, MemorySetting};

use crate::Part;

/// The block that `instance` is.
pub(super) fn device(part: &Part, instance: &'static Instance, setting: MemorySetting) -> Device {
    let map = instance.map;
    match (map.kind, map.version) {
        ("rcc", "c0") => Device::RccC0(RccC0::new(instance)),
        ("flash", "c0") => Device::FlashC0(FlashC0::new(instance, setting)),
        ("gpio", "v2") => Device::GpioV2(GpioV2::new(instance)),
        ("exti", "c0") => Device::ExtiC0(ExtiC0::new(instance)),
        ("timer", "v1" | "v3") => Device::Timer(TimerV3::new(instance)),
        ("usart", "v4") => Device::UsartV4(UsartV4::new(instance, part.full_usarts.contains(&instance.name))),
        ("bdma", "v1") => Device::DmaV1(DmaV1::new(instance)),
        ("dmamux", "v1") => Device::Dmamux(DmamuxV1::new(instance)),
        ("iwdg", "v1" | "v2") => Device::Iwdg(IwdgV2::new(instance)),
        ("wwdg", "v1" | "v2") => Device::Wwdg(WwdgV2::new(instance)),
        ("crc", "v3") => Device::Crc(CrcV3::new(instance)),
        ("syscfg", "c0") => Device::Small(Small::syscfg(instance)),
        ("pwr", "c0") => Device::Small(Small::with_fixed(map, small::PWR_C0, &[(0x14, 0x80)])),
        ("dbgmcu", "c0") => Device::Small(Small::with_fixed(map, small::DBGMCU_C0, &[(0, part.device_id)])),
        ("rtc", "v3_c0") => Device::Small(Small::declared(map, small::RTC_V3)),
        ("adc", "c0") => Device::Small(Small::declared(map, small::ADC_C0)),
        ("i2c", "v2") => Device::Small(Small::declared(map, small::I2C_V2)),
        ("spi", "v3_i2s") => Device::Small(Small::declared(map, small::SPI_V3)),
        _ => Device::Small(Small::declared(map, &[])),
    }
}
