//! From an instance's kind and version to its block.

use cyclescope_peripherals::lm3s::{declared as declared_lm3s, uart::Uart as Lm3sUart};
use cyclescope_peripherals::small::{self, Small};
use cyclescope_peripherals::stm32::afio_f1::AfioF1;
use cyclescope_peripherals::stm32::backup_f1::{BkpV1, PwrF1};
use cyclescope_peripherals::stm32::crc_v1::CrcV1;
use cyclescope_peripherals::stm32::crc_v3::CrcV3;
use cyclescope_peripherals::stm32::declared_f1;
use cyclescope_peripherals::stm32::dma_v1::DmaV1;
use cyclescope_peripherals::stm32::dma_v2::DmaV2;
use cyclescope_peripherals::stm32::dmamux_v1::DmamuxV1;
use cyclescope_peripherals::stm32::exti_c0::ExtiC0;
use cyclescope_peripherals::stm32::exti_v1::ExtiV1;
use cyclescope_peripherals::stm32::flash_c0::FlashC0;
use cyclescope_peripherals::stm32::flash_f1::FlashF1;
use cyclescope_peripherals::stm32::flash_f4::FlashF4;
use cyclescope_peripherals::stm32::gpio_v1::GpioV1;
use cyclescope_peripherals::stm32::gpio_v2::GpioV2;
use cyclescope_peripherals::stm32::iwdg_v2::IwdgV2;
use cyclescope_peripherals::stm32::pwr_f4::PwrF4;
use cyclescope_peripherals::stm32::rcc_c0::RccC0;
use cyclescope_peripherals::stm32::rcc_f1::RccF1;
use cyclescope_peripherals::stm32::rcc_f4::RccF4;
use cyclescope_peripherals::stm32::timer_v3::TimerV3;
use cyclescope_peripherals::stm32::usart_v1::UsartV1;
use cyclescope_peripherals::stm32::usart_v4::UsartV4;
use cyclescope_peripherals::stm32::wwdg_v2::WwdgV2;
use cyclescope_peripherals::{Device, Instance, MemorySetting, kinetis};

use crate::part::{Part, Soc};

/// The block that `instance` is.
pub(super) fn device(part: &Part, soc: &Soc, instance: &'static Instance, setting: MemorySetting) -> Device {
    let map = instance.map;
    match (map.kind, map.version) {
        ("rcc", "c0") => Device::RccC0(RccC0::new(instance)),
        ("flash", "c0") => Device::FlashC0(FlashC0::new(instance, setting)),
        ("gpio", "v2") => Device::GpioV2(GpioV2::new(instance)),
        ("exti", "c0") => Device::ExtiC0(ExtiC0::new(instance)),
        ("timer", "v1" | "v3") => Device::Timer(TimerV3::new(instance)),
        ("usart", "v4") => Device::UsartV4(UsartV4::new(instance, soc.full_usarts.contains(&instance.name))),
        ("bdma", "v1") => Device::DmaV1(DmaV1::new(instance)),
        ("dmamux", "v1") => Device::Dmamux(DmamuxV1::new(instance)),
        ("iwdg", "v1" | "v2") => Device::Iwdg(IwdgV2::new(instance)),
        ("wwdg", "v1" | "v2") => Device::Wwdg(WwdgV2::new(instance)),
        ("crc", "v3") => Device::Crc(CrcV3::new(instance)),
        ("syscfg", "c0") => Device::Small(Small::syscfg(instance)),
        ("pwr", "c0") => Device::Small(Small::with_fixed(map, small::PWR_C0, &[(0x14, 0x80)])),
        ("dbgmcu", "c0") => Device::Small(Small::with_fixed(map, small::DBGMCU_C0, &[(0, soc.device_id)])),
        ("rtc", "v3_c0") => Device::Small(Small::declared(map, small::RTC_V3)),
        ("adc", "c0") => Device::Small(Small::declared(map, small::ADC_C0)),
        ("i2c", "v2") => Device::Small(Small::declared(map, small::I2C_V2)),
        ("spi", "v3_i2s") => Device::Small(Small::declared(map, small::SPI_V3)),
        ("exti", "v1") => Device::ExtiV1(ExtiV1::new(instance)),
        ("usart", "v1" | "v2") => Device::UsartV1(UsartV1::new(instance)),
        ("rcc", "f4") => Device::RccF4(RccF4::new(instance)),
        ("pwr", "f4") => Device::PwrF4(PwrF4::new(instance)),
        ("flash", "f4") => Device::FlashF4(FlashF4::over(instance, setting, part.flash.bytes.get(), soc.sectors)),
        ("dma", "v2") => Device::DmaV2(DmaV2::new(instance)),
        ("syscfg", "f4") => Device::Small(Small::syscfg_f4(instance)),
        ("dbgmcu", "f4") => Device::Small(Small::with_fixed(map, small::DBGMCU_F4, &[(0, soc.device_id)])),
        ("rtc", "v2_f4") => Device::Small(Small::declared(map, small::RTC_F4)),
        ("spi", "v2_i2s") => Device::Small(Small::declared(map, small::SPI_F4)),
        ("rcc", "f1") => Device::RccF1(RccF1::new(instance)),
        ("flash", "f1") => Device::FlashF1(FlashF1::new(instance, setting)),
        ("gpio", "v1") => Device::GpioV1(GpioV1::new(instance)),
        ("afio", "f1") => Device::AfioF1(AfioF1::new(instance)),
        ("pwr", "f1") => Device::PwrF1(PwrF1::new(instance)),
        ("bkp", "v1") => Device::BkpV1(BkpV1::new(instance)),
        ("crc", "v1") => Device::CrcV1(CrcV1::new(instance)),
        ("dbgmcu", "f1") => Device::Small(Small::with_fixed(map, declared_f1::DBGMCU, &[(0, 0), (4, 0)])),
        ("rtc", "v1") => Device::Small(Small::declared(map, declared_f1::RTC)),
        ("adc", "f1") => Device::Small(Small::declared(map, declared_f1::ADC)),
        ("can", "bxcan") => Device::Small(Small::declared(map, declared_f1::CAN)),
        ("usb", "v1") => Device::Small(Small::declared(map, declared_f1::USB)),
        ("i2c", "v1") => Device::Small(Small::declared(map, declared_f1::I2C)),
        ("spi", "v1") => Device::Small(Small::declared(map, declared_f1::SPI)),
        ("lm3s_uart", _) => Device::Lm3sUart(Lm3sUart::new(instance)),
        ("lm3s_sysctl", _) => Device::Small(Small::declared(map, declared_lm3s::SYSCTL)),
        ("lm3s_gpio", _) => Device::Small(Small::declared(map, declared_lm3s::GPIO)),
        (_, "k20") => kinetis(instance, setting),
        _ => Device::Small(Small::declared(map, &[])),
    }
}

/// The block of a Kinetis that `instance` is.
fn kinetis(instance: &'static Instance, setting: MemorySetting) -> Device {
    match instance.map.kind {
        "sim" => Device::KinetisSim(kinetis::Sim::new(instance)),
        "mcg" => Device::KinetisMcg(kinetis::Mcg::new(instance)),
        "fmc" => Device::KinetisFmc(kinetis::Fmc::new(instance, setting)),
        "ftfl" => Device::KinetisFtfl(kinetis::Ftfl::new(instance)),
        "gpio" => Device::KinetisGpio(kinetis::Gpio::new(instance)),
        "port" => Device::KinetisPort(kinetis::PortControl::new(instance)),
        "pit" => Device::KinetisPit(kinetis::Pit::new(instance)),
        "uart" => Device::KinetisUart(kinetis::Uart::new(instance)),
        "wdog" => Device::KinetisWdog(kinetis::Wdog::new(instance)),
        _ => match kinetis::System::new(instance) {
            Some(system) => Device::KinetisSystem(system),
            None => Device::Small(Small::declared(instance.map, kinetis::after_reset(instance.map))),
        },
    }
}
