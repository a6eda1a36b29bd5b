//! Extended interrupt controller of STM32C0 and STM32G0, with pending flags per edge (RM0490, "Extended interrupt and
//! event controller (EXTI)").
//!
//! Of the direct lines the RTC's (19) is modelled. Wake-up from Stop by I2C, USART and the LSE's security system is not: their
//! masks are stored and counted.

use cyclescope_machine::TimingRow;

use super::exti::{Exti, Version};
use crate::bank::{all, some};
use crate::{Bank, Env, Modelled, Source, Write};

const RTSR1: u32 = 0x00;
const FTSR1: u32 = 0x04;
const SWIER1: u32 = 0x08;
const RPR1: u32 = 0x0C;
const FPR1: u32 = 0x10;
const EXTICR1: u32 = 0x60;
const IMR1: u32 = 0x80;
const EMR1: u32 = 0x84;

/// The modelled registers and fields, with the values after reset (RM0490, "EXTI register map").
pub const MODEL: &[Modelled] = &[
    all("RTSR1", 0).and(&["FTSR1", "SWIER1", "RPR1", "FPR1"]),
    all("EXTICR1", 0).and(&["EXTICR2", "EXTICR3", "EXTICR4"]),
    some("IMR1", 0xFFF8_0000, LINES),
    some("EMR1", 0, LINES),
];

/// The fields of the lines: pins', and the RTC's.
const LINES: &[&str] = &[
    "LINE0", "LINE1", "LINE2", "LINE3", "LINE4", "LINE5", "LINE6", "LINE7", "LINE8", "LINE9", "LINE10", "LINE11",
    "LINE12", "LINE13", "LINE14", "LINE15", "LINE19",
];

/// The way of an edge.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "exti.synchroniser",
    "edges of HCLK after a pin's edge until its pending flag and its interrupt line rise",
    2,
    "two flip-flops; no manual gives a figure. RM0490, EXTI block diagram: edges are caught without a clock, \
             the registers behind are HCLK's; not measured",
)];

/// The version.
#[derive(Clone, Debug)]
pub struct C0;

/// The block.
pub type ExtiC0 = Exti<C0>;

impl Version for C0 {
    const MODEL: &'static [Modelled] = MODEL;
    const WAY: &'static TimingRow = &ROWS[0];
    const CLOCK: Source = Source::Hclk;
    const SELECTS: [u32; 2] = [RTSR1, FTSR1];
    const PENDING: [u32; 2] = [RPR1, FPR1];
    const MASK: u32 = IMR1;
    const EVENTS: u32 = EMR1;
    const DIRECT: u32 = 1 << 19;

    fn selected_port(bank: &Bank, line: u8) -> Option<u8> {
        let line = u32::from(line & 15);
        Some((bank.get(EXTICR1 + line / 4 * 4) >> (line % 4 * 8)) as u8)
    }

    fn write(bank: &mut Bank, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            // A software trigger is a rising edge, whatever RTSR1 selects, and reads back 0 (RM0490, EXTI_SWIER1).
            SWIER1 => bank.flag(RPR1, write.ones() & 0xFFFF, true),
            RPR1 | FPR1 => bank.flag(offset, write.ones(), false),
            _ => {
                bank.write(offset, write, env);
            }
        }
    }
}
