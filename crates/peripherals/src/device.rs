//! One type for all blocks, so that a part is plain data.

use crate::crc_v3::CrcV3;
use crate::dma_v1::DmaV1;
use crate::dmamux_v1::DmamuxV1;
use crate::exti_c0::ExtiC0;
use crate::flash_c0::FlashC0;
use crate::gpio_v2::GpioV2;
use crate::iwdg_v2::IwdgV2;
use crate::rcc_c0::RccC0;
use crate::small::Small;
use crate::timer_v3::TimerV3;
use crate::usart_v4::UsartV4;
use crate::wwdg_v2::WwdgV2;
use crate::{Bank, Block, ClockControl, DmaController, EdgeLines, Env, FlashControl, Port, Serial, Tree, Write};

macro_rules! devices {
    ($($(#[$doc:meta])* $name:ident($block:ty)),* $(,)?) => {
        /// A block of a part.
        // The few blocks of a part live in one vector; their size does not matter.
        #[allow(clippy::large_enum_variant)]
        #[derive(Clone, Debug)]
        pub enum Device {
            $($(#[$doc])* $name($block),)*
        }

        impl Block for Device {
            #[inline]
            fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
                match self { $(Self::$name(block) => block.read(offset, env),)* }
            }

            #[inline]
            fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
                match self { $(Self::$name(block) => block.write(offset, write, env),)* }
            }

            fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
                match self { $(Self::$name(block) => block.event(kind, env),)* }
            }

            fn reset(&mut self, env: &mut Env<'_, '_>) {
                match self { $(Self::$name(block) => block.reset(env),)* }
            }

            fn before_clock_change(&mut self, env: &mut Env<'_, '_>) {
                match self { $(Self::$name(block) => block.before_clock_change(env),)* }
            }

            fn after_clock_change(&mut self, old: &Tree, env: &mut Env<'_, '_>) {
                match self { $(Self::$name(block) => block.after_clock_change(old, env),)* }
            }

            fn refine(&mut self, times: u64) {
                match self { $(Self::$name(block) => block.refine(times),)* }
            }

            fn output(&self, signal: &str) -> Option<bool> {
                match self { $(Self::$name(block) => block.output(signal),)* }
            }

            fn bank(&self) -> &Bank {
                match self { $(Self::$name(block) => block.bank(),)* }
            }
        }
    };
}

devices! {
    /// Reset and clock control of STM32C0.
    RccC0(RccC0),
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
}

/// Blocks by role: `None` where the block has another.
macro_rules! role {
    ($(#[$doc:meta])* $get:ident, $get_mut:ident: $role:ident = $($name:ident),* $(,)?) => {
        $(#[$doc])*
        pub fn $get(&self) -> Option<&dyn $role> {
            match self {
                $(Self::$name(block) => Some(block),)*
                _ => None,
            }
        }

        $(#[$doc])*
        pub fn $get_mut(&mut self) -> Option<&mut dyn $role> {
            match self {
                $(Self::$name(block) => Some(block),)*
                _ => None,
            }
        }
    };
}

impl Device {
    role!(
        /// The block as the part's clock control.
        clock_control, clock_control_mut: ClockControl = RccC0
    );
    role!(
        /// The block as the part's flash interface.
        flash_control, flash_control_mut: FlashControl = FlashC0
    );
    role!(
        /// The block as a port of pins.
        port, port_mut: Port = GpioV2
    );
    role!(
        /// The block as the external interrupts.
        edge_lines, edge_lines_mut: EdgeLines = ExtiC0
    );
    role!(
        /// The block as a serial port.
        serial, serial_mut: Serial = UsartV4
    );
    role!(
        /// The block as a DMA controller.
        dma, dma_mut: DmaController = DmaV1
    );
}
