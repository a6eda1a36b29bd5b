//! Extended interrupt controller of STM32C0 and STM32G0, with pending flags per edge (RM0490, "Extended interrupt and
//! event controller (EXTI)").
//!
//! An edge is caught without a clock, then passes flip-flops of HCLK. In Sleep mode that clock goes on, and the way is the
//! same; Stop mode is timed as Sleep mode.
//!
//! Not modelled: event generation (EMR), and wake-up from Stop by the direct lines, whose masks are stored and
//! counted.

use cyclescope_machine::TimingRow;

use crate::bank::{all, some};
use crate::stm32::exti_v1::PINS;
use crate::synchroniser::Edges;
use crate::{Bank, Block, EdgeLines, Env, Instance, Lines, Modelled, Source, Tree, Words, Write};

const RTSR1: u32 = 0x00;
const FTSR1: u32 = 0x04;
const SWIER1: u32 = 0x08;
const RPR1: u32 = 0x0C;
const FPR1: u32 = 0x10;
const EXTICR1: u32 = 0x60;
const IMR1: u32 = 0x80;

/// The modelled registers and fields, with the values after reset (RM0490, "EXTI register map").
pub const MODEL: &[Modelled] = &[
    all("RTSR1", 0).and(&["FTSR1", "SWIER1", "RPR1", "FPR1"]),
    all("EXTICR1", 0).and(&["EXTICR2", "EXTICR3", "EXTICR4"]),
    some("IMR1", 0xFFF8_0000, PINS),
    some("EMR1", 0, &[]),
];

/// The way of an edge.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "exti.synchroniser",
    "edges of HCLK after a pin's edge until its pending flag and its interrupt line rise",
    2,
    "two flip-flops; no manual gives a figure. RM0490, EXTI block diagram: edges are caught without a clock, \
             the registers behind are HCLK's; not measured",
)];

/// Events of the block.
const ARRIVED: u16 = 0;

/// The block.
#[derive(Clone, Debug)]
pub struct ExtiC0 {
    bank: Bank,
    lines: Lines,
    edges: Edges,
}

impl ExtiC0 {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        const NAMES: [&str; 16] = [
            "EXTI0", "EXTI1", "EXTI2", "EXTI3", "EXTI4", "EXTI5", "EXTI6", "EXTI7", "EXTI8", "EXTI9", "EXTI10",
            "EXTI11", "EXTI12", "EXTI13", "EXTI14", "EXTI15",
        ];
        let signals: Vec<(&str, u32)> = NAMES.iter().enumerate().map(|(line, name)| (*name, 1 << line)).collect();
        Self {
            bank: Bank::new(instance.map, MODEL),
            lines: Lines::new(instance, &signals),
            edges: Edges::new(Source::Hclk, &ROWS[0], ARRIVED),
        }
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

    fn edge(&mut self, line: u8, high: bool, env: &mut Env<'_, '_>) {
        let seen = self.bank.get(if high { RTSR1 } else { FTSR1 }) & 1 << (line & 15);
        self.edges.push(if high { seen } else { 0 }, if high { 0 } else { seen }, env);
    }
}

impl Block<Words> for ExtiC0 {
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

    /// The pending flag is set whether or not the interrupt is masked.
    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        let (rose, fell) = self.edges.arrived(env);
        self.bank.flag(RPR1, rose, true);
        self.bank.flag(FPR1, fell, true);
        self.drive(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.edges.reset(env);
        self.drive(env);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.edges.schedule(env);
    }

    fn refine(&mut self, times: u64) {
        self.edges.refine(times);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
