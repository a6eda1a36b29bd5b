//! Metadata of parts, as tables.

use cyclescope_peripherals::{Instance, Route};

/// The byte at which the main RAM of each part begins.
const MAIN_RAM: u32 = 0x2000_0000;

/// A memory of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableRegion {
    /// Its name in the metadata.
    pub(crate) name: &'static str,
    /// The first address.
    pub(crate) address: u32,
    /// The size in bytes.
    pub(crate) bytes: u32,
    /// The bytes that are erased at once in flash; 0 for RAM.
    pub(crate) erased: u32,
}

/// A part's memories, interrupts and peripherals.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// The memories.
    pub(crate) memory: Vec<TableRegion>,
    /// Priority bits of the interrupt controller.
    pub(crate) priority_bits: u8,
    /// Interrupt lines by number and name.
    pub(crate) interrupts: &'static [(u8, &'static str)],
    /// The routes of DMA requests that no multiplexer carries.
    pub(crate) routes: &'static [Route],
    /// Pins that the package brings out: a port (0 for A) and one bit a pin.
    pub(crate) pins: &'static [(u8, u32)],
    /// The peripherals, by address.
    pub(crate) peripherals: &'static [Instance],
}

/// A RAM of a part beside the main one, or other addresses of a stretch of the main one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableRam {
    /// The first address.
    pub(crate) address: u32,
    /// The size in bytes.
    pub(crate) bytes: u32,
    /// The byte of the main RAM that appears at the first address; `None` for a RAM of its own.
    pub(crate) of_main: Option<u32>,
}

impl Table {
    /// The main flash: its first address, its size, and its sectors from there on: bytes, and the bytes that are erased at once
    /// in them. A second bank that does not adjoin is left out.
    pub(crate) fn flash(&self) -> (u32, u32, Vec<(u32, u32)>) {
        let begin = self.memory.iter().find(|region| region.erased > 0).map_or(0, |region| region.address);
        let (mut end, mut sectors) = (begin, Vec::<(u32, u32)>::new());
        for region in self.memory.iter().filter(|region| region.erased > 0) {
            if region.address == end {
                match sectors.last_mut() {
                    Some((bytes, sector)) if *sector == region.erased => *bytes += region.bytes,
                    _ => sectors.push((region.bytes, region.erased)),
                }
                end += region.bytes;
            }
        }
        (begin, end - begin, sectors)
    }

    /// The main RAM, of all memories that adjoin from 0x20000000 on: its first address and its size.
    pub(crate) fn ram(&self) -> (u32, u32) {
        let mut end = MAIN_RAM;
        for region in self.memory.iter().filter(|region| region.erased == 0) {
            if region.address == end {
                end += region.bytes;
            }
        }
        (MAIN_RAM, end - MAIN_RAM)
    }

    /// The RAM elsewhere. The metadata has one memory at two addresses under two names, `SRAM2_ICODE` and `SRAM2`, or
    /// `CCMRAM_ICODE` and `CCMRAM_DCODE`.
    pub(crate) fn other_rams(&self) -> Vec<TableRam> {
        let (base, bytes) = self.ram();
        let elsewhere = |region: &&TableRegion| region.erased == 0 && !(base..base + bytes).contains(&region.address);
        let other = |region: &TableRegion| {
            let stem = region.name.trim_end_matches("_ICODE");
            let twin = |other: &&TableRegion| {
                other.address >= base && other.bytes == region.bytes && other.name.trim_end_matches("_DCODE") == stem
            };
            let of_main = self.memory.iter().find(twin).map(|twin| twin.address - base);
            TableRam { address: region.address, bytes: region.bytes, of_main }
        };
        self.memory.iter().filter(elsewhere).map(other).collect()
    }
}
