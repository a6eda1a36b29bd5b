//! External interrupts of STM32F1 and STM32F4, with one pending flag a line (RM0390, "External interrupt/event controller
//! (EXTI)"; RM0008, the same chapter). Which port feeds a line is chosen in SYSCFG or AFIO.
//!
//! An edge is caught without a clock, then passes flip-flops of the bus that EXTI lies on. In Sleep mode that clock goes
//! on, and the way is the same; Stop mode is timed as Sleep mode.
//!
//! Not modelled: event generation (EMR), and the lines beyond the pins (voltage detector, RTC, USB), whose bits are
//! stored and counted.

use cyclescope_machine::TimingRow;

use crate::bank::{all, some};
use crate::synchroniser::Edges;
use crate::{Bank, Block, EdgeLines, Env, Instance, Lines, Modelled, Source, Tree, Words, Write};

const IMR: u32 = 0x00;
const RTSR: u32 = 0x08;
const FTSR: u32 = 0x0C;
const SWIER: u32 = 0x10;
const PR: u32 = 0x14;

/// The lines that pins feed.
pub(crate) const PINS: &[&str] = &[
    "LINE0", "LINE1", "LINE2", "LINE3", "LINE4", "LINE5", "LINE6", "LINE7", "LINE8", "LINE9", "LINE10", "LINE11",
    "LINE12", "LINE13", "LINE14", "LINE15",
];

/// The modelled registers and fields, with the values after reset (RM0390, "EXTI register map").
pub const MODEL: &[Modelled] =
    &[some("IMR", 0, PINS).and(&["RTSR", "FTSR", "SWIER"]), some("EMR", 0, &[]), all("PR", 0)];

/// The way of an edge.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "exti.synchroniser",
    "edges of PCLK2 after a pin's edge until its pending flag and its interrupt line rise",
    2,
    "two flip-flops; no manual gives a figure. RM0390 and RM0008, EXTI main features: pulses shorter than a \
             period of APB2 are seen, so the edge itself waits for no clock, but flag and line are PCLK2's; not measured",
)];

/// Events of the block.
const ARRIVED: u16 = 0;

/// The block.
#[derive(Clone, Debug)]
pub struct ExtiV1 {
    bank: Bank,
    lines: Lines,
    edges: Edges,
}

impl ExtiV1 {
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
            edges: Edges::new(Source::Pclk2, &ROWS[0], ARRIVED),
        }
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

    fn edge(&mut self, line: u8, high: bool, env: &mut Env<'_, '_>) {
        let seen = self.bank.get(if high { RTSR } else { FTSR }) & 1 << (line & 15);
        self.edges.push(if high { seen } else { 0 }, if high { 0 } else { seen }, env);
    }
}

impl Block<Words> for ExtiV1 {
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

    /// The pending flag is set whether or not the interrupt is masked.
    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        let (rose, fell) = self.edges.arrived(env);
        self.bank.flag(PR, rose | fell, true);
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
