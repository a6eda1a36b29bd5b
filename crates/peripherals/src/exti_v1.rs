//! External interrupts of STM32F1 and STM32F4, with one pending flag a line (RM0390, "External interrupt/event controller
//! (EXTI)"; RM0008, the same chapter). Which port feeds a line is chosen in SYSCFG or AFIO.
//!
//! Not modelled: event generation (EMR), and the lines beyond the pins (voltage detector, RTC, USB), whose masks are
//! stored.

use crate::bank::{all, some};
use crate::{Bank, Block, EdgeLines, Env, Instance, Lines, Modelled, Write};

const IMR: u32 = 0x00;
const RTSR: u32 = 0x08;
const FTSR: u32 = 0x0C;
const SWIER: u32 = 0x10;
const PR: u32 = 0x14;

/// What is modelled, with the values after reset (RM0390, "EXTI register map").
pub const MODEL: &[Modelled] =
    &[all("IMR", 0), some("EMR", 0, &[]), all("RTSR", 0), all("FTSR", 0), all("SWIER", 0), all("PR", 0)];

/// The block.
#[derive(Clone, Debug)]
pub struct ExtiV1 {
    bank: Bank,
    lines: Lines,
}

impl ExtiV1 {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        const NAMES: [&str; 16] = [
            "EXTI0", "EXTI1", "EXTI2", "EXTI3", "EXTI4", "EXTI5", "EXTI6", "EXTI7", "EXTI8", "EXTI9", "EXTI10",
            "EXTI11", "EXTI12", "EXTI13", "EXTI14", "EXTI15",
        ];
        let signals: Vec<(&str, u32)> = NAMES.iter().enumerate().map(|(line, name)| (*name, 1 << line)).collect();
        Self { bank: Bank::new(instance.map, MODEL), lines: Lines::new(instance, &signals) }
    }

    fn drive(&mut self, env: &mut Env<'_, '_>) {
        let active = self.bank.get(PR) & self.bank.get(IMR);
        self.lines.drive(active, env);
    }
}

impl EdgeLines for ExtiV1 {
    fn selected_port(&self, _: u8) -> Option<u8> {
        None
    }

    /// The pending flag is set whether or not the interrupt is masked.
    fn edge(&mut self, line: u8, high: bool, env: &mut Env<'_, '_>) {
        let selection = self.bank.get(if high { RTSR } else { FTSR });
        self.bank.flag(PR, selection & 1 << (line & 15), true);
        self.drive(env);
    }
}

impl Block for ExtiV1 {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        self.bank.read(offset, env)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            PR => {
                // Clearing a pending flag also clears its software trigger (RM0390, EXTI_SWIER).
                self.bank.flag(PR, write.ones(), false);
                self.bank.flag(SWIER, write.ones(), false);
            }
            SWIER => {
                // A bit that goes from 0 to 1 sets the pending flag if the line is not masked (RM0390, EXTI_SWIER).
                let (old, new) = self.bank.write(SWIER, write, env);
                self.bank.set(SWIER, old | new);
                self.bank.flag(PR, new & !old & self.bank.get(IMR), true);
            }
            _ => {
                self.bank.write(offset, write, env);
            }
        }
        self.drive(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.drive(env);
    }

    fn refine(&mut self, _: u64) {}

    fn bank(&self) -> &Bank {
        &self.bank
    }
}
