//! The memory map of both sides.
//!
//! The same image is in three places: at 0 (where flash appears at reset), at the flash's own base, and in RAM behind
//! the data. Streams move between the three, so that code runs from flash, its alias and RAM, and far branches occur.

/// Bytes of code and literals; the size of the flash.
pub const IMAGE_BYTES: u32 = 4096;
/// The start of RAM.
pub const RAM_BASE: u32 = 0x2000_0000;
/// The size of the data at the start of RAM, which streams load and store. The copy of the image follows.
pub const DATA_BYTES: u32 = 4096;
/// The end of a stream: the offset of a BKPT that neither side executes.
pub const END: u32 = 8;
/// The offset of the first chunk.
pub const FIRST: u32 = 16;
/// The end of the last chunk, so that no literal load reads past the image: its range is 1020 bytes after the
/// word-aligned pc + 4.
pub const LIMIT: u32 = IMAGE_BYTES - 1028;

/// Bases of flash for streams. BL reaches the alias from all but the last, and their bits differ.
pub const FLASH_BASES: [u32; 4] = [0x00A5_5000, 0x005A_A000, 0x00FF_E000, 0x0800_0000];

/// One of the places of the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// The alias at 0.
    Zero,
    /// The flash's own base.
    Flash,
    /// The copy in RAM.
    Ram,
}

impl Region {
    /// All regions.
    pub const ALL: [Self; 3] = [Self::Zero, Self::Flash, Self::Ram];

    /// Returns the address of the image in this region.
    pub const fn base(self, flash_base: u32) -> u32 {
        match self {
            Self::Zero => 0,
            Self::Flash => flash_base,
            Self::Ram => RAM_BASE + DATA_BYTES,
        }
    }
}
