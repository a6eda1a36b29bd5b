//! Extended interrupt controller of STM32C0 and STM32G0, with pending flags per edge (RM0490, "Extended interrupt and
//! event controller (EXTI)").
//!
//! Not modelled: event generation (EMR), and wake-up from Stop by the direct lines, whose masks are stored.

use crate::bank::{all, some};
use crate::{Bank, Block, EdgeLines, Env, Instance, Lines, Modelled, Write};

const RTSR1: u32 = 0x00;
const FTSR1: u32 = 0x04;
const SWIER1: u32 = 0x08;
const RPR1: u32 = 0x0C;
const FPR1: u32 = 0x10;
const EXTICR1: u32 = 0x60;
const IMR1: u32 = 0x80;

/// What is modelled, with the values after reset (RM0490, "EXTI register map").
pub const MODEL: &[Modelled] = &[
    all("RTSR1", 0),
    all("FTSR1", 0),
    all("SWIER1", 0),
    all("RPR1", 0),
    all("FPR1", 0),
    all("EXTICR1", 0),
    all("EXTICR2", 0),
    all("EXTICR3", 0),
    all("EXTICR4", 0),
    all("IMR1", 0xFFF8_0000),
    some("EMR1", 0, &[]),
];

/// The block.
#[derive(Clone, Debug)]
pub struct ExtiC0 {
    bank: Bank,
    lines: Lines,
}

impl ExtiC0 {
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
        let active = (self.bank.get(RPR1) | self.bank.get(FPR1)) & self.bank.get(IMR1);
        self.lines.drive(active & 0xFFFF, env);
    }
}

impl EdgeLines for ExtiC0 {
    fn selected_port(&self, line: u8) -> Option<u8> {
        let line = u32::from(line & 15);
        Some((self.bank.get(EXTICR1 + line / 4 * 4) >> (line % 4 * 8)) as u8)
    }

    /// The pending flag is set whether or not the interrupt is masked.
    fn edge(&mut self, line: u8, high: bool, env: &mut Env<'_, '_>) {
        let (selection, pending) = if high { (RTSR1, RPR1) } else { (FTSR1, FPR1) };
        let seen = 1 << (line & 15) & self.bank.get(selection);
        self.bank.flag(pending, seen, true);
        self.drive(env);
    }
}

impl Block for ExtiC0 {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        self.bank.read(offset, env)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            // A software trigger is a rising edge, whatever RTSR1 selects, and reads back 0 (RM0490, EXTI_SWIER1).
            SWIER1 => self.bank.flag(RPR1, write.ones() & 0xFFFF, true),
            RPR1 | FPR1 => self.bank.flag(offset, write.ones(), false),
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
