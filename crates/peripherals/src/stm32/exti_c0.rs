//! Extended interrupt controller of STM32C0 and STM32G0, with pending flags per edge (RM0490 and RM0444, "Extended interrupt
//! and event controller (EXTI)").
//!
//! Of the direct lines those of the RTC (19) and of tampering (21, STM32G0) are modelled. Wake-up from Stop by I2C, USART,
//! LPTIM, USB and the LSE's security system is not: their masks are stored and counted.

use cyclescope_machine::TimingRow;

use super::exti::{Exti, Version, Wiring};
use crate::bank::{all, some};
use crate::{Bank, Env, Instance, Modelled, Source, Write};

const RTSR1: u32 = 0x00;
const FTSR1: u32 = 0x04;
const SWIER1: u32 = 0x08;
const RPR1: u32 = 0x0C;
const FPR1: u32 = 0x10;
const EXTICR1: u32 = 0x60;
const IMR1: u32 = 0x80;
const EMR1: u32 = 0x84;

/// The distances to the registers of lines from 32 on (RM0444, "EXTI register map").
const SECOND: [u32; 2] = [0x28, 0x10];

/// The modelled registers and fields of STM32C0, with the values after reset (RM0490, "EXTI register map").
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

/// The same of STM32G0 (RM0444, "EXTI register map").
pub const MODEL_G0: &[Modelled] = &[
    some("RTSR1", 0, EDGES_G0).and(&["FTSR1", "SWIER1", "RPR1", "FPR1"]),
    some("RTSR2", 0, SUPPLY_G0).and(&["FTSR2", "SWIER2", "RPR2", "FPR2", "EMR2"]),
    all("EXTICR1", 0).and(&["EXTICR2", "EXTICR3", "EXTICR4"]),
    some("IMR1", 0xFFF8_0000, LINES_G0),
    some("EMR1", 0, LINES_G0),
    some("IMR2", 0xFFFF_FFFF, SUPPLY_G0),
];

/// The configurable lines (RM0444, "EXTI line connections"): pins', the voltage detector's (16) and comparators' (17, 18, 20).
const EDGES_G0: &[&str] = &[
    "LINE0", "LINE1", "LINE2", "LINE3", "LINE4", "LINE5", "LINE6", "LINE7", "LINE8", "LINE9", "LINE10", "LINE11",
    "LINE12", "LINE13", "LINE14", "LINE15", "LINE16", "LINE17", "LINE18", "LINE20",
];

/// These, and the direct ones of the RTC and of tampering.
const LINES_G0: &[&str] = &[
    "LINE0", "LINE1", "LINE2", "LINE3", "LINE4", "LINE5", "LINE6", "LINE7", "LINE8", "LINE9", "LINE10", "LINE11",
    "LINE12", "LINE13", "LINE14", "LINE15", "LINE16", "LINE17", "LINE18", "LINE19", "LINE20", "LINE21",
];

/// The configurable one from 32 on: the monitor of VDDIO2 (34).
const SUPPLY_G0: &[&str] = &["LINE2"];

static WIRING_C0: Wiring = Wiring { model: MODEL, direct: 1 << 19 | 1 << 23 | 1 << 25 | 1 << 31 };

static WIRING_G0: Wiring = Wiring { model: MODEL_G0, direct: 0x1B_FFE8_0000 };

/// The way of an edge.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "exti.synchroniser",
    "edges of HCLK after a pin's edge until its pending flag and its interrupt line rise",
    2,
    "two flip-flops; no manual gives a figure. RM0490 and RM0444, EXTI block diagram: edges are caught without a clock, \
             the registers behind are HCLK's; not measured",
)];

/// The version.
#[derive(Clone, Debug)]
pub struct C0;

/// The block.
pub type ExtiC0 = Exti<C0>;

impl Version for C0 {
    const WAY: &'static TimingRow = &ROWS[0];
    const CLOCK: Source = Source::Hclk;
    const SELECTS: [u32; 2] = [RTSR1, FTSR1];
    const PENDING: [u32; 2] = [RPR1, FPR1];
    const MASK: u32 = IMR1;
    const EVENTS: u32 = EMR1;
    const SECOND: [u32; 2] = SECOND;

    fn wiring(instance: &Instance) -> &'static Wiring {
        if instance.map.version == "g0" { &WIRING_G0 } else { &WIRING_C0 }
    }

    fn selected_port(bank: &Bank, line: u8) -> Option<u8> {
        let line = u32::from(line & 15);
        Some((bank.get(EXTICR1 + line / 4 * 4) >> (line % 4 * 8)) as u8)
    }

    fn write(bank: &mut Bank, direct: u64, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let is_second = (SECOND[0]..EXTICR1).contains(&offset);
        let (first, second) = if is_second { (offset - SECOND[0], SECOND[0]) } else { (offset, 0) };
        match first {
            // A software trigger is a rising edge, whatever RTSR1 selects, and reads back 0 (RM0490, EXTI_SWIER1).
            SWIER1 => {
                let direct = if is_second { (direct >> 32) as u32 } else { direct as u32 };
                bank.flag(RPR1 + second, write.ones() & !direct & declared(bank, offset), true);
            }
            RPR1 | FPR1 => bank.flag(offset, write.ones(), false),
            _ => {
                bank.write(offset, write, env);
            }
        }
    }
}

/// The bits that the register at `offset` has.
fn declared(bank: &Bank, offset: u32) -> u32 {
    bank.at(offset).map_or(0, |(row, _)| row.declared)
}
