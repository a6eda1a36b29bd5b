//! Alternate-function I/O of STM32F1 (RM0008, "AFIO registers"): where peripherals' pins are, which port's pins reach
//! EXTI, and which pins the debug port keeps.
//!
//! The remaps of the converters' triggers and of the oscillator's pins, and the event output, are stored and named when
//! used. SWJ_CFG cannot be read back; here it reads 0.

use crate::bank::{all, some};
use crate::stm32::gpio::DebugPins;
use crate::{Bank, Block, Effect, Env, Instance, Modelled, Words, Write};

const MAPR: u32 = 0x04;

const SWJ_CFG: u32 = 7 << 24;

/// The modelled registers and fields, with the values after reset (RM0008, "AFIO register map").
pub const MODEL: &[Modelled] = &[
    some("EVCR", 0, &[]),
    some(
        "MAPR",
        0,
        &[
            "SPI1_REMAP",
            "I2C1_REMAP",
            "USART1_REMAP",
            "USART2_REMAP",
            "USART3_REMAP",
            "TIM1_REMAP",
            "TIM2_REMAP",
            "TIM3_REMAP",
            "TIM4_REMAP",
            "CAN1_REMAP",
            "SWJ_CFG",
        ],
    ),
    all("EXTICR1", 0).and(&["EXTICR2", "EXTICR3", "EXTICR4"]),
    some("MAPR2", 0, &[]),
];

/// The ports that remaps reach: A to E.
const PORTS: u8 = 5;

/// The block.
#[derive(Clone, Debug)]
pub struct AfioF1 {
    bank: Bank,
}

impl AfioF1 {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: Bank::new(instance.map, MODEL) }
    }

    /// The pins of `port` that the debug port keeps (RM0008, "JTAG/SWD alternate function remapping", and its internal
    /// pull resistors in "Debug support").
    pub fn debug_pins(&self, port: u8) -> DebugPins {
        const JTMS: u32 = 1 << 13;
        const JTCK: u32 = 1 << 14;
        const JTDI: u32 = 1 << 15;
        const JTDO: u32 = 1 << 3;
        const NJTRST: u32 = 1 << 4;
        let owned = match (port, (self.bank.get(MAPR) & SWJ_CFG) >> 24) {
            (0, 0 | 1) => JTMS | JTCK | JTDI,
            (0, 2) => JTMS | JTCK,
            (1, 0) => JTDO | NJTRST,
            (1, 1) => JTDO,
            _ => 0,
        };
        let pulled_up = if port == 0 { JTMS | JTDI } else { NJTRST };
        DebugPins { owned, pulled_up: owned & pulled_up }
    }

    fn pins_moved(env: &mut Env<'_, '_>) {
        for port in 0..PORTS {
            env.effect(Effect::PinsSwitched { port });
        }
    }
}

impl Block<Words> for AfioF1 {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let value = self.bank.read(offset, env);
        if offset == MAPR { value & !SWJ_CFG } else { value }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.bank.write(offset, write, env);
        if offset == MAPR {
            Self::pins_moved(env);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        Self::pins_moved(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
