//! What a part is, as data.

use cyclescope_machine::{Pin, TimingRow};
use cyclescope_peripherals::Instance;
use cyclescope_units::{Address, Bytes, Hertz};
use thiserror::Error;

use crate::parts;

/// The processor core of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Core {
    /// Arm Cortex-M0+.
    CortexM0Plus,
}

/// A contiguous memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Where it begins.
    pub base: Address,
    /// How large it is.
    pub bytes: Bytes,
}

/// What a board adds to its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// Its name.
    pub name: &'static str,
    /// The high-speed crystal or clock, if it has one.
    pub hse: Option<Hertz>,
    /// The low-speed crystal, if it has one.
    pub lse: Option<Hertz>,
    /// Levels that the board itself puts on pins until a stimulus says otherwise: resistors, buttons at rest.
    pub levels: &'static [(Pin, bool)],
}

/// A part: its core, memories, interrupts and peripherals, and the board it is thought to sit on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The name by which it is asked for.
    pub name: &'static str,
    /// Its core.
    pub core: Core,
    /// One line on what it is.
    pub description: &'static str,
    /// The clock at which it is measured, which is its fastest.
    pub clock: Hertz,
    /// Code flash; also visible at address 0.
    pub flash: Region,
    /// The main RAM.
    pub ram: Region,
    /// Interrupt lines by number and name.
    pub interrupts: &'static [(u8, &'static str)],
    /// Priority bits of the interrupt controller.
    pub priority_bits: u8,
    /// Regions of the memory protection unit; 0 without one.
    pub mpu_regions: u8,
    /// HCLK periods in one of SysTick's reference clock; `None` where it has none.
    pub systick_reference_divider: Option<u32>,
    /// Device identification (DBGMCU_IDCODE).
    pub device_id: u32,
    /// Words fixed at the factory, by address: unique id, flash size, package, calibration.
    pub factory: &'static [(u32, u32)],
    /// Serial ports with FIFOs and the other full features.
    pub full_usarts: &'static [&'static str],
    /// Internal oscillators: high-speed and low-speed.
    pub oscillators: (Hertz, Hertz),
    /// The board.
    pub board: Board,
    /// Its peripherals, by address; empty for a core without a vendor's parts.
    pub peripherals: &'static [Instance],
    /// The bus's timing.
    pub bus: &'static [TimingRow],
}

/// A part that nobody here knows.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PartError {
    /// No part has that name.
    #[error("no chip is called `{name}`; the nearest are {}", nearest.join(", "))]
    Unknown {
        /// The name asked for.
        name: String,
        /// The known names, nearest first, at most three.
        nearest: Vec<&'static str>,
    },
}

impl Part {
    /// All parts, in the order in which they are listed.
    pub fn all() -> &'static [&'static Part] {
        parts::ALL
    }

    /// The part called `name`, in any case.
    ///
    /// # Errors
    /// [`PartError::Unknown`] with the nearest names.
    pub fn find(name: &str) -> Result<&'static Part, PartError> {
        if let Some(part) = Self::all().iter().find(|part| part.name.eq_ignore_ascii_case(name)) {
            return Ok(part);
        }
        let mut nearest: Vec<&'static str> = Self::all().iter().map(|part| part.name).collect();
        nearest.sort_by_key(|known| strsim::osa_distance(&name.to_lowercase(), known));
        nearest.truncate(3);
        Err(PartError::Unknown { name: name.to_owned(), nearest })
    }

    /// The name of the interrupt line `number`.
    pub fn interrupt_name(&self, number: u8) -> Option<&'static str> {
        self.interrupts.iter().find(|(line, _)| *line == number).map(|(_, name)| *name)
    }

    /// The rows behind the time that flash takes to read.
    pub fn flash_rows(&self) -> impl Iterator<Item = &'static TimingRow> {
        let rows = if self.peripherals.is_empty() { &[] } else { cyclescope_peripherals::flash_c0::ROWS };
        rows.iter().filter(|row| ["flash.instruction_lines", "flash.wait_states_above_24MHz"].contains(&row.name))
    }

    /// All timing rows that the part's memories, bus and peripherals bring beside the core's own.
    pub fn timing_rows(&self) -> Vec<&'static TimingRow> {
        use cyclescope_peripherals::{dma_v1, flash_c0, rcc_c0, timer_v3, usart_v4};
        let mut rows: Vec<&TimingRow> = self.bus.iter().collect();
        if !self.peripherals.is_empty() {
            for table in [flash_c0::ROWS, rcc_c0::ROWS, timer_v3::ROWS, usart_v4::ROWS, dma_v1::ROWS] {
                rows.extend(table);
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_found_by_name_and_a_slip_gets_the_nearest() {
        assert_eq!(Part::find("STM32C031C6").map(|part| part.name), Ok("stm32c031c6"));
        let Err(PartError::Unknown { nearest, .. }) = Part::find("stm32c031") else { panic!("no such part") };
        assert_eq!(nearest[0], "stm32c031c6");
    }

    #[test]
    fn row_names_are_unique() {
        for part in Part::all() {
            let mut names: Vec<&str> = part.timing_rows().iter().map(|row| row.name).collect();
            names.sort_unstable();
            let before = names.len();
            names.dedup();
            assert_eq!(names.len(), before);
        }
    }
}
