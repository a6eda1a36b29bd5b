//! External interrupts of STM32F1, F4, G4 and L4, with one pending flag a line (RM0390, "External interrupt/event controller
//! (EXTI)"; RM0008, RM0440, RM0351 and RM0432, the same chapter). Which port feeds a line is chosen in SYSCFG or AFIO.
//!
//! Lines beyond the pins of STM32F1 and F4: 16 (voltage detector), 17 (RTC alarm), 21 (tamper, timestamp), 22 (RTC wake-up).
//! Those of USB are not modelled; their bits are stored and counted. Of STM32G4 and L4 all configurable lines are. Their direct
//! lines are blocks that wake the part from Stop mode, which is not modelled: their masks are stored and counted.

use cyclescope_machine::TimingRow;

use super::exti::{Exti, Version, Wiring};
use crate::bank::{all, some};
use crate::{Bank, Env, Instance, Modelled, Source, Write};

const IMR: u32 = 0x00;
const EMR: u32 = 0x04;
const RTSR: u32 = 0x08;
const FTSR: u32 = 0x0C;
const SWIER: u32 = 0x10;
const PR: u32 = 0x14;

/// The distance to the registers of lines from 32 on (RM0351, "EXTI register map").
const SECOND: u32 = 0x20;

/// The modelled registers and fields, with the values after reset (RM0390, "EXTI register map").
pub const MODEL: &[Modelled] = &[some("IMR", 0, LINES).and(&["EMR", "RTSR", "FTSR", "SWIER"]), all("PR", 0)];

/// The fields of the lines: pins', and those beyond.
const LINES: &[&str] = &[
    "LINE0", "LINE1", "LINE2", "LINE3", "LINE4", "LINE5", "LINE6", "LINE7", "LINE8", "LINE9", "LINE10", "LINE11",
    "LINE12", "LINE13", "LINE14", "LINE15", "LINE16", "LINE17", "LINE21", "LINE22",
];

/// The same of STM32L4 and L4+ (RM0351, "EXTI register map").
pub const MODEL_L4: &[Modelled] = &[
    some("IMR1", 0xFF82_0000, LINES_L4),
    some("EMR1", 0, LINES_L4).and(&["RTSR1", "FTSR1", "SWIER1", "PR1"]),
    some("IMR2", 0xFFFF_FF87, SECOND_L4),
    some("EMR2", 0, SECOND_L4).and(&["RTSR2", "FTSR2", "SWIER2", "PR2"]),
];

/// The configurable lines (RM0351, "EXTI lines connections"): pins', and those of the voltage detector (16), the RTC (18 to 20) and
/// comparators (21, 22).
const LINES_L4: &[&str] = &[
    "LINE0", "LINE1", "LINE2", "LINE3", "LINE4", "LINE5", "LINE6", "LINE7", "LINE8", "LINE9", "LINE10", "LINE11",
    "LINE12", "LINE13", "LINE14", "LINE15", "LINE16", "LINE18", "LINE19", "LINE20", "LINE21", "LINE22",
];

/// Those from 32 on: the monitors of other supplies (35 to 38).
const SECOND_L4: &[&str] = &["LINE3", "LINE4", "LINE5", "LINE6"];

/// The same of STM32G4 (RM0440, "EXTI register map").
pub const MODEL_G4: &[Modelled] = &[
    some("IMR1", 0x1F84_0000, LINES_G4),
    some("EMR1", 0, LINES_G4).and(&["RTSR1", "FTSR1", "SWIER1", "PR1"]),
    some("IMR2", 0xFFFF_FC3C, SECOND_G4),
    some("EMR2", 0, SECOND_G4).and(&["RTSR2", "FTSR2", "SWIER2", "PR2"]),
];

/// The configurable lines (RM0440, "EXTI lines connections"): pins', and those of the voltage detector (16), the RTC (17, 19, 20) and
/// comparators (21, 22, 29 to 31).
const LINES_G4: &[&str] = &[
    "LINE0", "LINE1", "LINE2", "LINE3", "LINE4", "LINE5", "LINE6", "LINE7", "LINE8", "LINE9", "LINE10", "LINE11",
    "LINE12", "LINE13", "LINE14", "LINE15", "LINE16", "LINE17", "LINE19", "LINE20", "LINE21", "LINE22", "LINE29",
    "LINE30", "LINE31",
];

/// Those from 32 on: comparators' (32, 33), and the monitors of the analog supply (40, 41).
const SECOND_G4: &[&str] = &["LINE0", "LINE1", "LINE8", "LINE9"];

static WIRING_V1: Wiring = Wiring { model: MODEL, direct: 0 };

static WIRING_L4: Wiring = Wiring { model: MODEL_L4, direct: 0x187_FF82_0000 };

static WIRING_G4: Wiring = Wiring { model: MODEL_G4, direct: 0xC3C_1F84_0000 };

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
    const WAY: &'static TimingRow = &ROWS[0];
    const CLOCK: Source = Source::Pclk2;
    const SELECTS: [u32; 2] = [RTSR, FTSR];
    const PENDING: [u32; 2] = [PR, PR];
    const MASK: u32 = IMR;
    const EVENTS: u32 = EMR;
    const SECOND: [u32; 2] = [SECOND, SECOND];

    /// RM0390 has 23 lines, RM0351 and RM0432 have 40 and 41, RM0440 has 44.
    fn wiring(instance: &Instance) -> &'static Wiring {
        match instance.map.register("IMR2").map(|second| second.declared() >> 11 & 1) {
            None => &WIRING_V1,
            Some(0) => &WIRING_L4,
            Some(_) => &WIRING_G4,
        }
    }

    fn write(bank: &mut Bank, direct: u64, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let second = offset & SECOND;
        match offset & !SECOND {
            PR => {
                // Clearing a pending flag also clears its software trigger (RM0390, EXTI_SWIER).
                bank.flag(offset, write.ones(), false);
                bank.flag(SWIER + second, write.ones(), false);
            }
            SWIER => {
                // A bit that goes from 0 to 1 sets the pending flag if the line is not masked (RM0390, EXTI_SWIER).
                let (old, new) = bank.write(offset, write, env);
                bank.set(offset, old | new);
                let direct = if second == 0 { direct as u32 } else { (direct >> 32) as u32 };
                bank.flag(PR + second, new & !old & bank.get(IMR + second) & !direct, true);
            }
            _ => {
                bank.write(offset, write, env);
            }
        }
    }
}
