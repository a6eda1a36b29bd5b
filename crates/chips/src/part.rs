//! What a part is, as data.

use std::borrow::Cow;

use cyclescope_machine::{Pin, TimingRow};
use cyclescope_peripherals::{Instance, Route};
use cyclescope_units::{Address, Bytes, Hertz};

use crate::family::Family;
use crate::parts;

/// The processor core of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Core {
    /// Arm Cortex-M0+.
    CortexM0Plus,
    /// Arm Cortex-M3.
    CortexM3,
    /// Arm Cortex-M4 without floating point.
    CortexM4,
    /// Arm Cortex-M4 with floating point.
    CortexM4F,
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// Its name.
    pub name: Cow<'static, str>,
    /// The high-speed crystal or clock, if it has one.
    pub hse: Option<Hertz>,
    /// The low-speed crystal, if it has one.
    pub lse: Option<Hertz>,
    /// Levels that the board itself puts on pins until a stimulus says otherwise: resistors, buttons at rest.
    pub levels: Cow<'static, [(Pin, bool)]>,
}

/// A part: its core, memories, interrupts and peripherals, and the board it is thought to sit on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The name by which it is asked for.
    pub name: Cow<'static, str>,
    /// Its core.
    pub core: Core,
    /// Its family: buses, blocks' timing.
    pub family: &'static Family,
    /// One line on what it is.
    pub description: Cow<'static, str>,
    /// The clock at which it is measured, which is its fastest.
    pub clock: Hertz,
    /// Code flash; also visible at address 0.
    pub flash: Region,
    /// Flash from its beginning on: bytes, and the bytes that are erased at once in them.
    pub sectors: &'static [(u32, u32)],
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
    /// SYST_CALIB.TENMS: what the vendor gives for a tick of its choice; 0 where no value is known to us.
    pub systick_calibration: u32,
    /// Device identification (DBGMCU_IDCODE).
    pub device_id: u32,
    /// Words fixed at the factory, by address: unique id, flash size, package, calibration.
    pub factory: Cow<'static, [(u32, u32)]>,
    /// Serial ports with FIFOs and the other full features.
    pub full_usarts: &'static [&'static str],
    /// Internal oscillators: high-speed and low-speed.
    pub oscillators: (Hertz, Hertz),
    /// The board.
    pub board: Board,
    /// Pins that the package brings out: a port (0 for A) and one bit a pin. Empty for a core without pins.
    pub bonded: &'static [(u8, u32)],
    /// The peripherals of its kind, by address; empty for a core without a vendor's parts.
    pub peripherals: &'static [Instance],
    /// Of a part that a user describes, the known part it comes from.
    pub base: Option<Cow<'static, str>>,
    /// Names of those that this part lacks.
    pub left_out: Cow<'static, [&'static str]>,
    /// Where DMA requests go that no multiplexer carries.
    pub routes: &'static [Route],
}

impl Part {
    /// All parts that come with the program, in the order in which they are listed.
    pub fn all() -> &'static [&'static Part] {
        parts::ALL
    }

    /// The peripherals that the part has, by address.
    pub fn instances(&self) -> impl Iterator<Item = &'static Instance> {
        self.peripherals.iter().filter(|instance| !self.left_out.contains(&instance.name))
    }

    /// The pins that the part's package brings out, by port and number. A part that a user describes has those of its
    /// base, whatever its package; ports of peripherals that it leaves out count all the same.
    pub fn pins(&self) -> impl Iterator<Item = Pin> {
        let of_port = |(port, bits): &(u8, u32)| {
            let (port, bits) = (*port, *bits);
            (0..32).filter(move |number| bits & 1 << number != 0).map(move |number| Pin { port, number })
        };
        self.bonded.iter().flat_map(of_port)
    }

    /// The name of the interrupt line `number`.
    pub fn interrupt_name(&self, number: u8) -> Option<&'static str> {
        self.interrupts.iter().find(|(line, _)| *line == number).map(|(_, name)| *name)
    }

    /// The rows behind the time that flash takes to read.
    pub fn flash_rows(&self) -> impl Iterator<Item = &'static TimingRow> {
        let names = self.family.flash_rows;
        self.family.rows.iter().copied().flatten().filter(|row| names.contains(&row.name))
    }

    /// The rows behind the time that a bus takes.
    pub fn bus_rows(&self) -> Vec<&'static TimingRow> {
        self.family.bus_rows()
    }

    /// All timing rows that the part's memories, bus and peripherals bring beside the core's own.
    pub fn timing_rows(&self) -> Vec<&'static TimingRow> {
        let mut rows = self.bus_rows();
        for table in self.family.rows {
            rows.extend(*table);
        }
        rows
    }

    /// The word fixed at the factory that holds `address`.
    pub(crate) fn factory_word(&self, address: u32) -> Option<u32> {
        self.factory.iter().find(|(at, _)| *at == address & !3).map(|(_, word)| *word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_names_are_unique() {
        for part in Part::all() {
            let mut names: Vec<&str> = part.timing_rows().iter().map(|row| row.name).collect();
            names.sort_unstable();
            let before = names.len();
            names.dedup();
            assert_eq!(names.len(), before, "{}", part.name);
            let flash = part.flash_rows().count();
            assert_eq!(flash, part.family.flash_rows.len(), "{}: each row named exists", part.name);
        }
    }

    #[test]
    fn every_block_lies_on_a_bus_and_in_order() {
        for part in Part::all() {
            for pair in part.peripherals.windows(2) {
                assert!(pair[0].address < pair[1].address, "{}: {}", part.name, pair[1].name);
            }
            for instance in part.instances() {
                let factory = part.family.factory.contains(&instance.address);
                let bus = part.family.segment(instance.address);
                assert!(factory || bus.is_some(), "{}: {} at {:#x}", part.name, instance.name, instance.address);
            }
        }
    }
}
