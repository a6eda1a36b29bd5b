//! The memory that both sides run in.
//!
//! The same image stands in three places: at 0 (where flash appears at reset), at the flash's own base, and in RAM
//! behind the data. Streams move between the three, so that code runs from flash, its alias and RAM, and far branches
//! go far.

/// Bytes of code and literals; the size of the flash.
pub const IMAGE_BYTES: u32 = 4096;
/// Where RAM begins.
pub const RAM_BASE: u32 = 0x2000_0000;
/// Bytes of RAM that streams load and store, at its start; the copy of the image follows.
pub const DATA_BYTES: u32 = 4096;
/// Where a stream ends: the offset of a BKPT that neither side executes.
pub const END: u32 = 8;
/// The offset of the first chunk.
pub const FIRST: u32 = 16;
/// Chunks end here, so that no literal load reads past the image: its reach is 1020 bytes after the word-aligned pc + 4.
pub const LIMIT: u32 = IMAGE_BYTES - 1028;

/// Bases of flash that streams use: BL reaches the alias from each but the last, and their bits differ.
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
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Zero, Self::Flash, Self::Ram];

    /// Where the image begins there.
    pub const fn base(self, flash_base: u32) -> u32 {
        match self {
            Self::Zero => 0,
            Self::Flash => flash_base,
            Self::Ram => RAM_BASE + DATA_BYTES,
        }
    }
}
