//! One type for all blocks, so that a part is plain data.

use crate::framework::{devices, role};
use crate::kinetis;
use crate::lm3s::uart::Uart as Lm3sUart;
use crate::small::Small;
use crate::stm32::afio_f1::AfioF1;
use crate::stm32::backup_f1::{BkpV1, PwrF1};
use crate::stm32::crc_v1::CrcV1;
use crate::stm32::crc_v3::CrcV3;
use crate::stm32::dma_v1::DmaV1;
use crate::stm32::dma_v2::DmaV2;
use crate::stm32::dmamux_v1::DmamuxV1;
use crate::stm32::exti_c0::ExtiC0;
use crate::stm32::exti_v1::ExtiV1;
use crate::stm32::flash_c0::FlashC0;
use crate::stm32::flash_f1::FlashF1;
use crate::stm32::flash_f4::FlashF4;
use crate::stm32::gpio_v1::GpioV1;
use crate::stm32::gpio_v2::GpioV2;
use crate::stm32::iwdg_v2::IwdgV2;
use crate::stm32::pwr_f4::PwrF4;
use crate::stm32::rcc_c0::RccC0;
use crate::stm32::rcc_f1::RccF1;
use crate::stm32::rcc_f4::RccF4;
use crate::stm32::timer_v3::TimerV3;
use crate::stm32::usart_v1::UsartV1;
use crate::stm32::usart_v4::UsartV4;
use crate::stm32::wwdg_v2::WwdgV2;
use crate::{ClockControl, DmaController, EdgeLines, FlashControl, Port, Words};

devices! { Words {
    /// Reset and clock control of STM32C0.
    RccC0(RccC0),
    /// Reset and clock control of STM32F446.
    RccF4(RccF4),
    /// Power control of STM32F446.
    PwrF4(PwrF4),
    /// Flash interface of STM32F446.
    FlashF4(FlashF4),
    /// External interrupts of STM32F1 and F4.
    ExtiV1(ExtiV1),
    /// A serial port with one status and one data register.
    UsartV1(UsartV1),
    /// A DMA controller with streams.
    DmaV2(DmaV2),
    /// Flash interface of STM32C0.
    FlashC0(FlashC0),
    /// A port of STM32F2 and later.
    GpioV2(GpioV2),
    /// External interrupts of STM32C0.
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
    /// Backup registers of STM32F1.
    BkpV1(BkpV1),
    /// The CRC unit with one polynomial.
    CrcV1(CrcV1),
    /// A serial port of the LM3S6965.
    Lm3sUart(Lm3sUart),
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
    /// A serial port of a Kinetis.
    KinetisUart(kinetis::Uart),
    /// The watchdog of a Kinetis.
    KinetisWdog(kinetis::Wdog),
} serial: UsartV4, UsartV1, Lm3sUart, KinetisUart }

impl Device {
    role!(
        /// The block as the part's clock control.
        clock_control, clock_control_mut: ClockControl = RccC0, RccF4, RccF1, KinetisSim
    );
    role!(
        /// The block as the part's flash interface.
        flash_control, flash_control_mut: FlashControl = FlashC0, FlashF4, FlashF1, KinetisFmc
    );
    role!(
        /// The block as a port of pins.
        port, port_mut: Port = GpioV2, GpioV1, KinetisGpio
    );
    role!(
        /// The block as the external interrupts.
        edge_lines, edge_lines_mut: EdgeLines = ExtiC0, ExtiV1
    );
    role!(
        /// The block as a DMA controller.
        dma, dma_mut: DmaController = DmaV1, DmaV2
    );
}
