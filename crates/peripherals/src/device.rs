//! One type for all blocks, so that a part is plain data.

use cyclescope_machine::Pin;
use cyclescope_machine::units::Hertz;

use crate::framework::{AnyDevice, devices, role};
use crate::lm3s;
use crate::pl011::Pl011;
use crate::small::{self, Small};
use crate::stm32::adc_c0::{AdcC0, AdcCommonC0};
use crate::stm32::adc_v2::{AdcCommonV2, AdcV2};
use crate::stm32::adc_v3::{AdcCommonV3, AdcV3};
use crate::stm32::{
    adc_f1::AdcF1,
    afio_f1::AfioF1,
    bkp_v1::BkpV1,
    can::Can,
    comp::Comp,
    cordic::Cordic,
    crc_v1::CrcV1,
    crc_v3::CrcV3,
    dac_v2::DacV2,
    declared_f1,
    dma_v1::DmaV1,
    dma_v2::DmaV2,
    dmamux_v1::DmamuxV1,
    exti_c0::ExtiC0,
    exti_v1::ExtiV1,
    fdcan::Fdcan,
    fdcan_ram::FdcanRam,
    flash_c0,
    flash_double::FlashDouble,
    flash_f1::FlashF1,
    flash_f4::FlashF4,
    flash_g0, flash_g4, flash_l4,
    gpio_v1::GpioV1,
    gpio_v2::GpioV2,
    i2c_v1::I2cV1,
    i2c_v2::I2cV2,
    iwdg_v2::IwdgV2,
    lptim::Lptim,
    otg_v1::OtgV1,
    pwr_c0,
    pwr_f1::PwrF1,
    pwr_f4::PwrF4,
    pwr_g0, pwr_g4, pwr_l4,
    pwr_low::PwrLow,
    rcc_c0::RccC0,
    rcc_f1::RccF1,
    rcc_f4::RccF4,
    rcc_g0::RccG0,
    rcc_g4::RccG4,
    rcc_l4::RccL4,
    rng::Rng,
    rtc::Rtc,
    rtc_v1::RtcV1,
    rtc_v2, rtc_v3,
    sdmmc_v1::Sdmmc,
    spi_v1::SpiV1,
    spi_v3::SpiV3,
    tamp::Tamp,
    timer_v3::TimerV3,
    usart_v1::UsartV1,
    usart_v4::UsartV4,
    usb_v1::{UsbRam, UsbV1},
    vrefbuf::Vrefbuf,
    wwdg_v2::WwdgV2,
};
use crate::{
    BackupDomain, BusMaster, ClockControl, Clocks, Comparator, Converter, DmaController, EdgeLines, Env, FlashControl,
    Instance, Instant, MemorySetting, Port, PowerControl, RequestMux, Source, Words, esp, kinetis, nrf, rp,
};

/// The properties of a part that its devices depend on.
#[derive(Clone, Copy, Debug)]
pub struct Properties<'a> {
    /// The setting that decides the cost of flash.
    pub setting: MemorySetting,
    /// Bytes of flash.
    pub flash_bytes: u64,
    /// Flash from its beginning on: bytes, and the bytes that are erased at once in them.
    pub sectors: &'a [(u32, u32)],
    /// Serial ports with FIFOs and the other full features.
    pub full_usarts: &'a [&'a str],
    /// Device identification (DBGMCU_IDCODE).
    pub device_id: u32,
    /// The fastest clock.
    pub clock: Hertz,
    /// A random number generator of the first version has a conditioning of four words.
    pub conditioned_rng: bool,
}

devices! { Words {
    /// Reset and clock control of STM32C0.
    RccC0(RccC0),
    /// Reset and clock control of STM32G0.
    RccG0(RccG0),
    /// Reset and clock control of STM32G4.
    RccG4(RccG4),
    /// Reset and clock control of STM32L4 and L4+.
    RccL4(RccL4),
    /// Reset and clock control of STM32F446.
    RccF4(RccF4),
    /// Power control of STM32F446.
    PwrF4(PwrF4),
    /// Flash interface of STM32F446.
    FlashF4(FlashF4),
    /// External interrupts of STM32F1, F4, G4 and L4.
    ExtiV1(ExtiV1),
    /// A serial port with one status and one data register.
    UsartV1(UsartV1),
    /// An SPI with one frame behind its shift register.
    SpiV1(SpiV1),
    /// An SPI with FIFOs.
    SpiV3(SpiV3),
    /// A DMA controller with streams.
    DmaV2(DmaV2),
    /// Flash interface that programs double words.
    FlashDouble(FlashDouble),
    /// A port of STM32F2 and later.
    GpioV2(GpioV2),
    /// External interrupts of STM32C0 and G0.
    ExtiC0(ExtiC0),
    /// A timer.
    Timer(TimerV3),
    /// A serial port with ISR, RDR and TDR.
    UsartV4(UsartV4),
    /// A DMA controller with channels.
    DmaV1(DmaV1),
    /// The DMA request multiplexer.
    Dmamux(DmamuxV1),
    /// The independent watchdog.
    Iwdg(IwdgV2),
    /// The window watchdog.
    Wwdg(WwdgV2),
    /// The CRC unit.
    Crc(CrcV3),
    /// A block with few rules, or none.
    Small(Small),
    /// Reset and clock control of STM32F1.
    RccF1(RccF1),
    /// Flash interface of STM32F1.
    FlashF1(FlashF1),
    /// A port of STM32F1.
    GpioV1(GpioV1),
    /// Alternate-function I/O of STM32F1.
    AfioF1(AfioF1),
    /// Power control of STM32F1.
    PwrF1(PwrF1),
    /// Power control of STM32C0, G0, G4 and L4.
    PwrLow(PwrLow),
    /// Backup registers of STM32F1.
    BkpV1(BkpV1),
    /// The real-time clock of STM32F1.
    RtcV1(RtcV1),
    /// A real-time clock with a calendar.
    Rtc(Rtc),
    /// Tamper detection and backup registers.
    Tamp(Tamp),
    /// The CRC unit with one polynomial.
    CrcV1(CrcV1),
    /// The converter of STM32C0 and G0.
    AdcC0(AdcC0),
    /// Its common registers.
    AdcCommonC0(AdcCommonC0),
    /// A converter of STM32F1.
    AdcF1(AdcF1),
    /// A converter of STM32F4.
    AdcV2(AdcV2),
    /// The digital-to-analog converter.
    DacV2(DacV2),
    /// The common registers of those.
    AdcCommonV2(AdcCommonV2),
    /// A converter of STM32L4 and G4.
    AdcV3(AdcV3),
    /// The common registers of those.
    AdcCommonV3(AdcCommonV3),
    /// A comparator.
    Comp(Comp),
    /// The buffer of the converters' reference.
    Vrefbuf(Vrefbuf),
    /// I2C with SR1 and SR2.
    I2cV1(I2cV1),
    /// I2C with ISR and TIMINGR.
    I2cV2(I2cV2),
    /// A USB device with a packet memory.
    UsbV1(UsbV1),
    /// A USB device with FIFOs.
    OtgV1(OtgV1),
    /// The packet memory of a USB device.
    UsbRam(UsbRam),
    /// A node on CAN.
    Can(Can),
    /// A node on CAN FD.
    Fdcan(Fdcan),
    /// Its message RAM.
    FdcanRam(FdcanRam),
    /// A random number generator.
    Rng(Rng),
    /// A low-power timer.
    Lptim(Lptim),
    /// A CORDIC co-processor.
    Cordic(Cordic),
    /// An interface to SD cards.
    Sdmmc(Sdmmc),
    /// A serial port of the LM3S6965 or an RP2040.
    Pl011(Pl011),
    /// System integration module of a Kinetis.
    KinetisSim(kinetis::Sim),
    /// Clock generator of a Kinetis.
    KinetisMcg(kinetis::Mcg),
    /// Flash memory controller of a Kinetis.
    KinetisFmc(kinetis::Fmc),
    /// Flash memory module of a Kinetis.
    KinetisFtfl(kinetis::Ftfl),
    /// Data and direction of a port of a Kinetis.
    KinetisGpio(kinetis::Gpio),
    /// Pin control of a port of a Kinetis.
    KinetisPort(kinetis::PortControl),
    /// Periodic interrupt timer of a Kinetis.
    KinetisPit(kinetis::Pit),
    /// Power, mode, reset or oscillator control of a Kinetis.
    KinetisSystem(kinetis::System),
    /// A converter of a Kinetis.
    KinetisAdc(kinetis::Adc),
    /// The DMA controller of a Kinetis.
    KinetisDma(kinetis::Edma),
    /// Its request multiplexer.
    KinetisDmamux(kinetis::Dmamux),
    /// The programmable delay block of a Kinetis.
    KinetisPdb(kinetis::Pdb),
    /// I2C of a Kinetis.
    KinetisI2c(kinetis::I2c),
    /// SPI of a Kinetis.
    KinetisSpi(kinetis::Spi),
    /// A serial port of a Kinetis.
    KinetisUart(kinetis::Uart),
    /// The watchdog of a Kinetis.
    KinetisWdog(kinetis::Wdog),
    /// Clock and power control of an nRF52840.
    NrfClockPower(nrf::ClockPower),
    /// Memory controller of an nRF52840.
    NrfNvmc(nrf::Nvmc),
    /// A port of an nRF52840.
    NrfGpio(nrf::Gpio),
    /// A timer of an nRF52840.
    NrfTimer(nrf::Timer),
    /// A real-time counter of an nRF52840.
    NrfRtc(nrf::Rtc),
    /// Tasks and events of an nRF52840's pins.
    NrfGpiote(nrf::Gpiote),
    /// The interconnect of an nRF52840.
    NrfPpi(nrf::Ppi),
    /// An event generator of an nRF52840.
    NrfEgu(nrf::Egu),
    /// The watchdog of an nRF52840.
    NrfWdt(nrf::Wdt),
    /// The random number generator of an nRF52840.
    NrfRng(nrf::Rng),
    /// The temperature sensor of an nRF52840.
    NrfTemp(nrf::Temp),
    /// The analog-to-digital converter of an nRF52840.
    NrfSaadc(nrf::Saadc),
    /// The encryption of an nRF52840.
    NrfEcb(nrf::Ecb),
    /// Pulse width modulation of an nRF52840.
    NrfPwm(nrf::Pwm),
    /// The quadrature decoder of an nRF52840.
    NrfQdec(nrf::Qdec),
    /// A serial port of an nRF52840.
    NrfUarte(nrf::Uarte),
    /// The serial interfaces of an nRF52840 at one address.
    NrfSerial(nrf::Serial),
    /// The USB device of an nRF52840.
    NrfUsbd(nrf::Usbd),
    /// The comparators of an nRF52840.
    NrfComp(nrf::Comp),
    /// The clock generators of an RP2040.
    RpClocks(rp::ClockGenerators),
    /// An oscillator or loop of an RP2040.
    RpOscillator(rp::Oscillator),
    /// The subsystem resets of an RP2040.
    RpResets(rp::Resets),
    /// The port of an RP2040.
    RpIoBank(rp::IoBank),
    /// The pads of an RP2040's port.
    RpPads(rp::Pads),
    /// The processors' I/O of an RP2040.
    RpSio(rp::Sio),
    /// The timer of an RP2040.
    RpTimer(rp::Timer),
    /// The watchdog of an RP2040.
    RpWatchdog(rp::Watchdog),
    /// The serial interface to the flash of an RP2040.
    RpSsi(rp::Ssi),
    /// Control of the bus fabric of an RP2040.
    RpBusControl(rp::BusControl),
    /// The cache of an RP2040's flash.
    RpXip(rp::Xip),
    /// The flash's pins of an RP2040.
    RpIoQspi(rp::IoQspi),
    /// A block with few rules of an RP2040.
    RpSmall(rp::small::Small),
    /// The USB device of an RP2040.
    RpUsb(rp::Usb),
    /// The converter of an RP2040.
    RpAdc(rp::Adc),
    /// Pulse width modulation of an RP2040.
    RpPwm(rp::Pwm),
    /// The real-time clock of an RP2040.
    RpRtc(rp::Rtc),
    /// I2C of an RP2040.
    RpI2c(rp::I2c),
    /// SPI of an RP2040.
    RpSpi(rp::Spi),
    /// A programmable I/O of an RP2040.
    RpPio(rp::Pio),
    /// The DMA controller of an RP2040.
    RpDma(rp::Dma),
    /// A serial port of an ESP8266 or ESP32.
    EspUart(esp::Uart),
    /// The port of an ESP8266 or ESP32.
    EspGpio(esp::Gpio),
    /// The pads of an ESP8266's or ESP32's port.
    EspPads(esp::Pads),
    /// The timers FRC1 and FRC2 of an ESP8266 or ESP32.
    EspFrc(esp::Frc),
    /// The random number generator of an ESP8266 or ESP32.
    EspRng(esp::Rng),
    /// Clock and interrupt edges of an ESP8266.
    EspDport8266(esp::Dport8266),
    /// The real-time clock of an ESP8266.
    EspRtc8266(esp::Rtc8266),
    /// The watchdog of an ESP8266.
    EspWdt(esp::Wdt),
    /// Clocks and the interrupt matrix of an ESP32.
    EspDport32(esp::Dport32),
    /// The dividers of an ESP32's clocks.
    EspApbControl(esp::ApbControl),
    /// The real-time clock control of an ESP32.
    EspRtc32(esp::Rtc32),
    /// A timer group of an ESP32.
    EspTimg(esp::Timg),
} serial: UsartV4, UsartV1, Pl011, KinetisUart, NrfUarte, EspUart; usb: UsbV1, OtgV1, NrfUsbd, RpUsb }

impl Device {
    /// The device of a part with these properties that `instance` is, by the kind and version of its registers. A kind without
    /// a model is declared only.
    pub fn new(instance: &'static Instance, part: &Properties<'_>) -> Self {
        let map = instance.map;
        match (map.kind, map.version) {
            ("rcc", "c0" | "c0v2") => Self::RccC0(RccC0::new(instance, part.clock)),
            ("rcc", "g0x0" | "g0x1") => Self::RccG0(RccG0::new(instance, part.clock)),
            ("rcc", "g4") => Self::RccG4(RccG4::new(instance, part.clock)),
            ("rcc", "l4" | "l4plus") => Self::RccL4(RccL4::new(instance, part.clock)),
            ("flash", "c0") => Self::FlashDouble(FlashDouble::of(instance, part, &flash_c0::LINE)),
            ("flash", "g0x0" | "g0x1") => Self::FlashDouble(FlashDouble::of(instance, part, &flash_g0::LINE)),
            ("flash", "g4c2" | "g4c3" | "g4c4") => Self::FlashDouble(FlashDouble::of(instance, part, &flash_g4::LINE)),
            ("flash", "l4") => {
                let plus = flash_l4::PLUS.has_two_banks(part.device_id);
                let line = if plus { &flash_l4::PLUS } else { &flash_l4::LINE };
                Self::FlashDouble(FlashDouble::of(instance, part, line))
            }
            ("gpio", "v2" | "v2_l478") => Self::GpioV2(GpioV2::new(instance)),
            ("exti", "c0" | "g0") => Self::ExtiC0(ExtiC0::new(instance)),
            ("timer", "v1" | "v2" | "v3") => Self::Timer(TimerV3::new(instance)),
            ("usart", "v3" | "v4") => Self::UsartV4(UsartV4::new(instance, part.full_usarts.contains(&instance.name))),
            ("bdma", "v1" | "v2") => Self::DmaV1(DmaV1::new(instance)),
            ("dmamux", "v1") => Self::Dmamux(DmamuxV1::new(instance)),
            ("iwdg", "v1" | "v2") => Self::Iwdg(IwdgV2::new(instance)),
            ("wwdg", "v1" | "v2") => Self::Wwdg(WwdgV2::new(instance)),
            ("crc", "v3") => Self::Crc(CrcV3::new(instance)),
            ("pwr", "c0") => Self::PwrLow(PwrLow::new(instance, &pwr_c0::LINE)),
            ("pwr", "g0") => Self::PwrLow(PwrLow::new(instance, &pwr_g0::LINE)),
            ("pwr", "g4") => Self::PwrLow(PwrLow::new(instance, &pwr_g4::LINE)),
            ("pwr", "l4") => {
                let line = if map.register("CR5").is_some() { &pwr_l4::PLUS } else { &pwr_l4::LINE };
                Self::PwrLow(PwrLow::new(instance, line))
            }
            ("syscfg", "c0" | "f4" | "g0" | "g4" | "l4") => Self::Small(Small::syscfg(instance)),
            ("dbgmcu", "c0" | "g0") => Self::Small(Small::with_fixed(map, small::DBGMCU_C0, &[(0, part.device_id)])),
            ("rtc", "v3_c0") => Self::Rtc(Rtc::new(instance, &rtc_v3::C0)),
            ("rtc", "v3_base" | "v3_l4") => Self::Rtc(Rtc::new(instance, &rtc_v3::BASE)),
            ("rtc", "v2_l4") => Self::Rtc(Rtc::new(instance, &rtc_v2::L4)),
            ("tamp", "g0" | "g4") => Self::Tamp(Tamp::new(instance)),
            ("adc", "c0" | "g0") => Self::AdcC0(AdcC0::new(instance)),
            ("adccommon", "c0") => Self::AdcCommonC0(AdcCommonC0::new(instance)),
            ("i2c" | "fmpi2c", "v2") => Self::I2cV2(I2cV2::new(instance)),
            ("spi", "v3" | "v3_i2s") => Self::SpiV3(SpiV3::new(instance)),
            ("exti", "v1") => Self::ExtiV1(ExtiV1::new(instance)),
            ("usart", "v1" | "v2") => Self::UsartV1(UsartV1::new(instance)),
            ("rcc", "f4" | "f410") => Self::RccF4(RccF4::new(instance, part.clock)),
            ("pwr", "f4") => Self::PwrF4(PwrF4::new(instance)),
            ("flash", "f4") => Self::FlashF4(FlashF4::of(instance, part)),
            ("dma", "v2") => Self::DmaV2(DmaV2::new(instance)),
            ("rcc", "f1" | "f100" | "f1cl") => Self::RccF1(RccF1::new(instance, part.clock)),
            ("flash", "f1") => Self::FlashF1(FlashF1::of(instance, part)),
            ("dbgmcu", "f4" | "g4" | "l4") => {
                Self::Small(Small::with_fixed(map, small::DBGMCU_F4, &[(0, part.device_id)]))
            }
            ("rtc", "v2_f4") => Self::Rtc(Rtc::new(instance, &rtc_v2::F4)),
            ("spi", "v1_i2s" | "v2_i2s") => Self::SpiV1(SpiV1::new_f4(instance)),
            ("gpio", "v1") => Self::GpioV1(GpioV1::new(instance)),
            ("afio", "f1") => Self::AfioF1(AfioF1::new(instance)),
            ("pwr", "f1") => Self::PwrF1(PwrF1::new(instance)),
            ("bkp", "v1") => Self::BkpV1(BkpV1::new(instance)),
            ("crc", "v1") => Self::CrcV1(CrcV1::new(instance)),
            ("dbgmcu", "f1") => Self::Small(Small::with_fixed(map, declared_f1::DBGMCU, &[(0, 0), (4, 0)])),
            ("rtc", "v1") => Self::RtcV1(RtcV1::new(instance)),
            ("adc", "f1") => Self::AdcF1(AdcF1::new(instance)),
            ("adc", "v3" | "g4") => Self::AdcV3(AdcV3::new(instance)),
            ("adccommon", "v3" | "g4") => Self::AdcCommonV3(AdcCommonV3::new(instance)),
            ("adc", "v2") => Self::AdcV2(AdcV2::new(instance)),
            ("dac", "v1" | "v2" | "v3" | "v4" | "v5" | "v7") => Self::DacV2(DacV2::new(instance)),
            ("comp", "v1" | "v2" | "v3") => Self::Comp(Comp::new(instance)),
            ("vrefbuf", "v1" | "v2b") => Self::Vrefbuf(Vrefbuf::new(instance)),
            ("adccommon", "v2") => Self::AdcCommonV2(AdcCommonV2::new(instance)),
            ("can", "bxcan") => Self::Can(Can::new(instance)),
            ("rng", "v1" | "v2") => Self::Rng(Rng::new(instance, part.conditioned_rng)),
            ("lptim", "v1a" | "v1b" | "v1b_g4") => Self::Lptim(Lptim::new(instance)),
            ("can", "fdcan_v1") => Self::Fdcan(Fdcan::new(instance)),
            ("fdcanram", "v1") => Self::FdcanRam(FdcanRam::new(instance)),
            ("cordic", "v1") => Self::Cordic(Cordic::new(instance)),
            ("usb", "v1" | "v3" | "v4") => Self::UsbV1(UsbV1::new(instance)),
            ("otg", "v1") => Self::OtgV1(OtgV1::new(instance)),
            ("usbram", _) => Self::UsbRam(UsbRam::new(instance)),
            ("i2c", "v1") => Self::I2cV1(I2cV1::new(instance)),
            ("spi", "v1") => Self::SpiV1(SpiV1::new(instance)),
            ("sdmmc", "v1") => Self::Sdmmc(Sdmmc::new(instance)),
            ("lm3s_uart", _) => Self::Pl011(lm3s::uart::new(instance)),
            ("lm3s_sysctl", _) => Self::Small(Small::declared(map, lm3s::declared::SYSCTL)),
            ("lm3s_gpio", _) => Self::Small(Small::declared(map, lm3s::declared::GPIO)),
            (_, "k20") => Self::kinetis(instance, part),
            (_, "nrf52") => Self::nrf(instance, part),
            (_, "rp2040") => Self::rp(instance, part),
            (_, "esp8266" | "esp32") => Self::esp(instance),
            _ => Self::Small(Small::declared(map, &[])),
        }
    }

    /// Selects the kernel clock, where the block has a choice; whether it was another.
    pub fn set_kernel_clock(&mut self, clock: Source) -> bool {
        match self {
            Self::SpiV1(spi) => spi.set_i2s_clock(clock),
            Self::SpiV3(spi) => spi.set_i2s_clock(clock),
            Self::Sdmmc(sdmmc) => sdmmc.set_clock(clock),
            Self::AdcC0(adc) => adc.set_clock(clock),
            Self::AdcV3(adc) => adc.set_clock(clock),
            Self::I2cV1(i2c) => i2c.set_clock(clock),
            Self::I2cV2(i2c) => i2c.set_clock(clock),
            Self::Fdcan(can) => can.set_clock(clock),
            Self::Rng(rng) => rng.set_clock(clock),
            Self::Lptim(timer) => timer.set_clock(clock),
            _ => self.serial_mut().is_some_and(|serial| serial.set_clock(clock)),
        }
    }

    /// The pin of the block's additional function `signal` has the level `high`.
    pub fn set_pad(&mut self, signal: &str, high: bool, env: &mut Env<'_, '_>) {
        let function = ["RTC_AF1", "RTC_AF2", "RTC_AF3"].iter().position(|known| *known == signal).unwrap_or(0);
        match self {
            Self::BkpV1(bkp) => bkp.set_pin(high, env),
            Self::Rtc(rtc) => rtc.set_pin(function, high, env),
            Self::Tamp(tamp) => tamp.set_pin(signal, high, env),
            _ => {
                let number = signal.bytes().last().unwrap_or(b'1').wrapping_sub(b'0');
                if let Some(control) = self.power_control_mut() {
                    control.set_pin(number, high, env);
                }
            }
        }
    }

    /// The level that the block has seen at its signal `index`, if it keeps the levels of its pins; the inner one is `None` before it
    /// has seen any.
    pub fn seen(&self, index: usize) -> Option<Option<bool>> {
        match self {
            Self::Timer(timer) => Some(timer.seen(index)),
            Self::Lptim(timer) => Some(timer.seen(index)),
            Self::UsartV1(usart) => Some(usart.seen()),
            Self::UsartV4(usart) => Some(usart.seen()),
            Self::NrfUarte(uarte) => Some(uarte.seen()),
            Self::Pl011(uart) => Some(uart.seen()),
            Self::RpPwm(pwm) => Some(pwm.seen(index)),
            Self::EspUart(uart) => Some(uart.seen()),
            _ => None,
        }
    }

    /// The pin that the block has chosen for `signal` by its registers, while it is on.
    pub fn chosen_pin(&self, signal: &str) -> Option<Pin> {
        match self {
            Self::NrfUarte(uarte) => uarte.chosen_pin(signal),
            Self::NrfSerial(serial) => serial.chosen_pin(signal),
            _ => None,
        }
    }

    /// When an access of the core at `at` to the register at `offset` is answered, if the block makes it wait.
    pub fn answers_at(&self, offset: u32, at: Instant, clocks: &Clocks) -> Option<Instant> {
        match self {
            Self::Cordic(cordic) => cordic.answers_at(offset),
            Self::NrfRtc(rtc) => rtc.answers_at(offset, at, clocks),
            Self::RpXip(xip) => xip.answers_at(offset),
            _ => None,
        }
    }

    /// Takes `message` if it is for this block, and tells if it is.
    pub fn take_rp(&mut self, message: rp::Message, env: &mut Env<'_, '_>) -> bool {
        use rp::Message::{
            Credit, Dormant, DormantWake, FlashSelect, ForceOff, Oscillator, Pad, SioInputs, SioOutputs, Stands, Tick,
            XipRead,
        };
        match (self, message) {
            (Self::RpDma(dma), Credit { number, count }) => dma.set_credit(number, count, env),
            (Self::RpPio(pio), SioInputs { levels }) => {
                pio.pins_changed(levels, env);
                // They are for the processors' I/O, too.
                return false;
            }
            (Self::RpClocks(clocks), Oscillator { made, output }) => clocks.set_made(made, output, env),
            (Self::RpClocks(clocks), Dormant { made }) => {
                clocks.set_dormant(made, env);
                // Its end is awaited by the pins.
                return false;
            }
            (Self::RpIoBank(port), Dormant { .. }) => {
                port.await_wake(env);
                return false;
            }
            (Self::RpOscillator(oscillator), Stands { made }) => {
                oscillator.note_stands(made);
                return false;
            }
            (Self::RpOscillator(oscillator), DormantWake) => {
                oscillator.wake(env);
                return false;
            }
            (Self::RpTimer(timer), Tick { period }) => timer.set_tick(period, env),
            (Self::RpIoBank(port), Pad { pin, value }) => port.set_pad(pin, value, env),
            (Self::RpIoBank(port), SioOutputs { out, enabled }) => port.set_sio(out, enabled, env),
            (Self::RpSio(sio), SioInputs { levels }) => sio.set_inputs(levels, env),
            (Self::RpSio(sio), ForceOff { off }) => sio.force_off(off, env),
            (Self::RpXip(xip), XipRead { cycles }) => xip.set_read(cycles, env),
            (Self::RpSsi(ssi), FlashSelect { low }) => ssi.force_select(low, env),
            _ => return false,
        }
        true
    }

    /// Tells if the block of an RP2040 is at something for which it counts the cycles of the system's clock by their numbers, so that
    /// it would go on while that clock stands. A USB device that is on hears its host meanwhile.
    pub fn counts_cycles(&self) -> bool {
        match self {
            Self::RpPio(pio) => pio.listens(),
            Self::RpDma(dma) => dma.is_busy(),
            Self::RpUsb(usb) => usb.is_on(),
            _ => false,
        }
    }

    /// Takes `message` if it is for this block, and tells if nobody else needs it.
    pub fn take_esp(&mut self, message: esp::Message, env: &mut Env<'_, '_>) -> bool {
        match self {
            Self::EspGpio(port) => port.take(message, env),
            Self::EspFrc(timers) => timers.take(message, env),
            Self::EspWdt(watchdog) => watchdog.take(message, env),
            Self::EspDport32(dport) => dport.take(message, env),
            _ => false,
        }
    }

    /// The core goes to sleep (`true`) or wakes, and the block takes notice.
    pub fn core_sleeps(&mut self, asleep: bool, env: &mut Env<'_, '_>) {
        match self {
            Self::NrfClockPower(power) => power.sleeps(asleep, env),
            Self::NrfWdt(watchdog) => watchdog.sleeps(asleep, env),
            _ => {}
        }
    }

    /// The DMA has one transfer of the request `number` left.
    pub fn one_left(&mut self, number: u8) {
        match self {
            Self::I2cV1(i2c) => i2c.one_left(number),
            Self::SpiV1(spi) => spi.one_left(number),
            Self::SpiV3(spi) => spi.one_left(number),
            _ => {}
        }
    }

    /// The DMA's channel of the request `number` has one transfer left, or is switched on for a single one.
    pub fn last_due(&mut self, number: u8, env: &mut Env<'_, '_>) {
        if let Self::SpiV3(spi) = self {
            spi.last_due(number, env);
        }
    }

    /// The same of a Kinetis.
    fn kinetis(instance: &'static Instance, part: &Properties<'_>) -> Self {
        match instance.map.kind {
            "sim" => Self::KinetisSim(kinetis::Sim::new(instance)),
            "mcg" => Self::KinetisMcg(kinetis::Mcg::new(instance)),
            "fmc" => Self::KinetisFmc(kinetis::Fmc::new(instance, part.setting)),
            "ftfl" => Self::KinetisFtfl(kinetis::Ftfl::new(instance)),
            "gpio" => Self::KinetisGpio(kinetis::Gpio::new(instance)),
            "port" => Self::KinetisPort(kinetis::PortControl::new(instance)),
            "pit" => Self::KinetisPit(kinetis::Pit::new(instance)),
            "adc" => Self::KinetisAdc(kinetis::Adc::new(instance)),
            "pdb" => Self::KinetisPdb(kinetis::Pdb::new(instance)),
            "dma" => Self::KinetisDma(kinetis::Edma::new(instance)),
            "dmamux" => Self::KinetisDmamux(kinetis::Dmamux::new(instance)),
            "i2c" => Self::KinetisI2c(kinetis::I2c::new(instance)),
            "spi" => Self::KinetisSpi(kinetis::Spi::new(instance)),
            "uart" => Self::KinetisUart(kinetis::Uart::new(instance)),
            "wdog" => Self::KinetisWdog(kinetis::Wdog::new(instance)),
            _ => match kinetis::System::new(instance) {
                Some(system) => Self::KinetisSystem(system),
                None => Self::Small(Small::declared(instance.map, kinetis::after_reset(instance.map))),
            },
        }
    }

    /// The same of an nRF52840.
    fn nrf(instance: &'static Instance, part: &Properties<'_>) -> Self {
        match instance.map.kind {
            "clock_power" => Self::NrfClockPower(nrf::ClockPower::new(instance)),
            "nvmc" => Self::NrfNvmc(nrf::Nvmc::new(instance, part.setting)),
            "gpio" => Self::NrfGpio(nrf::Gpio::new(instance)),
            "timer" => Self::NrfTimer(nrf::Timer::new(instance)),
            "rtc" => Self::NrfRtc(nrf::Rtc::new(instance)),
            "gpiote" => Self::NrfGpiote(nrf::Gpiote::new(instance)),
            "ppi" => Self::NrfPpi(nrf::Ppi::new(instance)),
            "egu" => Self::NrfEgu(nrf::Egu::new(instance)),
            "wdt" => Self::NrfWdt(nrf::Wdt::new(instance)),
            "rng" => Self::NrfRng(nrf::Rng::new(instance)),
            "temp" => Self::NrfTemp(nrf::Temp::new(instance)),
            "uarte" => Self::NrfUarte(nrf::Uarte::new(instance)),
            "saadc" => Self::NrfSaadc(nrf::Saadc::new(instance)),
            "ecb" => Self::NrfEcb(nrf::Ecb::new(instance)),
            "pwm" => Self::NrfPwm(nrf::Pwm::new(instance)),
            "qdec" => Self::NrfQdec(nrf::Qdec::new(instance)),
            "twispi" | "spi" | "spim" => Self::NrfSerial(nrf::Serial::new(instance)),
            "usbd" => Self::NrfUsbd(nrf::Usbd::new(instance)),
            "comp_lpcomp" => Self::NrfComp(nrf::Comp::new(instance)),
            _ => Self::Small(Small::declared(instance.map, nrf::after_reset(instance.map))),
        }
    }

    /// The same of an RP2040.
    fn rp(instance: &'static Instance, part: &Properties<'_>) -> Self {
        match instance.map.kind {
            "clocks" => Self::RpClocks(rp::ClockGenerators::new(instance)),
            "pll" | "rosc" | "xosc" => Self::RpOscillator(rp::Oscillator::new(instance)),
            "resets" => Self::RpResets(rp::Resets::new(instance)),
            "usb" => Self::RpUsb(rp::Usb::new(instance)),
            "adc" => Self::RpAdc(rp::Adc::new(instance)),
            "pwm" => Self::RpPwm(rp::Pwm::new(instance)),
            "rtc" => Self::RpRtc(rp::Rtc::new(instance)),
            "i2c" => Self::RpI2c(rp::I2c::new(instance)),
            "spi" => Self::RpSpi(rp::Spi::new(instance)),
            "uart" => Self::Pl011(rp::uart::new(instance)),
            "dma" => Self::RpDma(rp::Dma::new(instance)),
            "pio" => Self::RpPio(rp::Pio::new(instance)),
            "io_bank" => Self::RpIoBank(rp::IoBank::new(instance)),
            "pads_bank" => Self::RpPads(rp::Pads::new(instance)),
            "sio" => Self::RpSio(rp::Sio::new(instance)),
            "timer" => Self::RpTimer(rp::Timer::new(instance)),
            "watchdog" => Self::RpWatchdog(rp::Watchdog::new(instance)),
            "ssi" => Self::RpSsi(rp::Ssi::new(instance)),
            "busctrl" => Self::RpBusControl(rp::BusControl::new(instance)),
            "xip_ctrl" => Self::RpXip(rp::Xip::new(instance, part.setting)),
            "io_qspi" => Self::RpIoQspi(rp::IoQspi::new(instance)),
            _ => match rp::small::Small::new(instance) {
                Some(small) => Self::RpSmall(small),
                None => Self::Small(Small::declared(instance.map, rp::after_reset(instance.map))),
            },
        }
    }

    /// The same of an ESP8266 or ESP32.
    fn esp(instance: &'static Instance) -> Self {
        match (instance.map.kind, instance.map.version) {
            ("uart", _) => Self::EspUart(esp::Uart::new(instance)),
            ("gpio", _) => Self::EspGpio(esp::Gpio::new(instance)),
            ("io_mux", _) => Self::EspPads(esp::Pads::new(instance)),
            ("timer" | "frc_timer", _) => Self::EspFrc(esp::Frc::new(instance)),
            ("rng", _) => Self::EspRng(esp::Rng::new(instance)),
            ("wdt", _) => Self::EspWdt(esp::Wdt::new(instance)),
            ("dport", "esp8266") => Self::EspDport8266(esp::Dport8266::new(instance)),
            ("rtc", "esp8266") => Self::EspRtc8266(esp::Rtc8266::new(instance)),
            ("dport", _) => Self::EspDport32(esp::Dport32::new(instance)),
            ("apb_ctrl", _) => Self::EspApbControl(esp::ApbControl::new(instance)),
            ("rtc_cntl", _) => Self::EspRtc32(esp::Rtc32::new(instance)),
            ("timg", _) => Self::EspTimg(esp::Timg::new(instance)),
            _ => Self::Small(Small::declared(instance.map, esp::after_reset(instance.map))),
        }
    }

    role!(
        /// The block as the part's clock control.
        clock_control, clock_control_mut: ClockControl = RccC0, RccF4, RccF1, RccG0, RccG4, RccL4, KinetisSim,
            NrfClockPower, RpClocks, EspDport8266, EspDport32
    );
    role!(
        /// The block as a part of the backup domain.
        backup_domain, backup_domain_mut: BackupDomain = BkpV1, RtcV1, Rtc, Tamp
    );
    role!(
        /// The block as the part's power control.
        power_control, power_control_mut: PowerControl = PwrF1, PwrF4, PwrLow
    );
    role!(
        /// The block as the part's flash interface.
        flash_control, flash_control_mut: FlashControl = FlashDouble, FlashF4, FlashF1, KinetisFmc, NrfNvmc, RpXip
    );
    role!(
        /// The block as a port of pins.
        port, port_mut: Port = GpioV2, GpioV1, KinetisGpio, NrfGpio, RpIoBank, EspGpio
    );
    role!(
        /// The block as the external interrupts.
        edge_lines, edge_lines_mut: EdgeLines = ExtiC0, ExtiV1
    );
    role!(
        /// The block as a converter, or the registers that several share.
        converter, converter_mut: Converter = AdcC0, AdcCommonC0, AdcF1, AdcV2, AdcCommonV2, AdcV3, AdcCommonV3, RpAdc
    );
    role!(
        /// The block as a comparator of voltages.
        comparator, comparator_mut: Comparator = Comp, NrfComp
    );
    role!(
        /// The block as a multiplexer of DMA requests.
        request_mux, request_mux_mut: RequestMux = Dmamux, KinetisDmamux
    );
    role!(
        /// The block as a DMA controller.
        dma, dma_mut: DmaController = DmaV1, DmaV2, KinetisDma
    );
    role!(
        /// The block as a bus master of its own.
        master, master_mut: BusMaster = RpDma, NrfUarte, NrfSaadc, NrfEcb, NrfPwm, NrfSerial, NrfUsbd
    );
}
