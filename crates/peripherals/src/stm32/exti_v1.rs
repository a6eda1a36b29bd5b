//! External interrupts of STM32F1 and STM32F4, with one pending flag a line (RM0390, "External interrupt/event controller
//! (EXTI)"; RM0008, the same chapter). Which port feeds a line is chosen in SYSCFG or AFIO.
//!
//! Lines beyond the pins: 16 (voltage detector), 17 (RTC alarm), 21 (tamper, timestamp), 22 (RTC wake-up). Those of USB are
//! not modelled; their bits are stored and counted.

use cyclescope_machine::TimingRow;

use super::exti::{Exti, Version};
use crate::bank::{all, some};
use crate::{Bank, Env, Modelled, Source, Write};

const IMR: u32 = 0x00;
const EMR: u32 = 0x04;
const RTSR: u32 = 0x08;
const FTSR: u32 = 0x0C;
const SWIER: u32 = 0x10;
const PR: u32 = 0x14;

/// The modelled registers and fields, with the values after reset (RM0390, "EXTI register map").
pub const MODEL: &[Modelled] = &[some("IMR", 0, LINES).and(&["EMR", "RTSR", "FTSR", "SWIER"]), all("PR", 0)];

/// The fields of the lines: pins', and those beyond.
const LINES: &[&str] = &[
    "LINE0", "LINE1", "LINE2", "LINE3", "LINE4", "LINE5", "LINE6", "LINE7", "LINE8", "LINE9", "LINE10", "LINE11",
    "LINE12", "LINE13", "LINE14", "LINE15", "LINE16", "LINE17", "LINE21", "LINE22",
];

/// The way of an edge.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "exti.synchroniser",
    "edges of PCLK2 after a pin's edge until its pending flag and its interrupt line rise",
    2,
    "two flip-flops; no manual gives a figure. RM0390 and RM0008, EXTI main features: pulses shorter than a \
             period of APB2 are seen, so the edge itself waits for no clock, but flag and line are PCLK2's; not measured",
)];

/// The version.
#[derive(Clone, Debug)]
pub struct V1;

/// The block.
pub type ExtiV1 = Exti<V1>;

impl Version for V1 {
    const MODEL: &'static [Modelled] = MODEL;
    const WAY: &'static TimingRow = &ROWS[0];
    const CLOCK: Source = Source::Pclk2;
    const SELECTS: [u32; 2] = [RTSR, FTSR];
    const PENDING: [u32; 2] = [PR, PR];
    const MASK: u32 = IMR;
    const EVENTS: u32 = EMR;

    fn write(bank: &mut Bank, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            PR => {
                // Clearing a pending flag also clears its software trigger (RM0390, EXTI_SWIER).
                bank.flag(PR, write.ones(), false);
                bank.flag(SWIER, write.ones(), false);
            }
            SWIER => {
                // A bit that goes from 0 to 1 sets the pending flag if the line is not masked (RM0390, EXTI_SWIER).
                let (old, new) = bank.write(SWIER, write, env);
                bank.set(SWIER, old | new);
                bank.flag(PR, new & !old & bank.get(IMR), true);
            }
            _ => {
                bank.write(offset, write, env);
            }
        }
    }
}
