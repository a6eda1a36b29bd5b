//! UF2 (Microsoft, USB Flashing Format, revision of 2023). The one crate for it panics on damaged files.

use super::{Collected, Contents};
use crate::ImageError;

/// The first bytes of a file, and of each block.
pub(super) const MAGIC: [u8; 4] = *b"UF2\n";
/// The second word of a block.
const MAGIC_SECOND: u32 = 0x9E5D_5157;
/// The last word of a block.
const MAGIC_END: u32 = 0x0AB1_6F30;

/// The size of a block.
const BLOCK: usize = 512;
/// The offset of a block's data.
const DATA: usize = 32;
/// The most bytes of data in a block.
const MOST_DATA: u32 = 476;

/// The flag of blocks that are not for the main flash.
const NOT_MAIN_FLASH: u32 = 0x1;
/// The flag of blocks of a file that is to be stored, not programmed.
const FILE_CONTAINER: u32 = 0x1000;
/// The flag of blocks that name the family of their chip.
const FAMILY: u32 = 0x2000;

/// Reads the blocks of `file`.
pub(super) fn read(file: &[u8]) -> Result<Contents, ImageError> {
    let damaged =
        |block: usize, reason: String| ImageError::Contents { format: "UF2", place: format!("block {block}"), reason };
    let (blocks, rest) = file.as_chunks::<BLOCK>();
    if !rest.is_empty() {
        return Err(damaged(blocks.len(), format!("it has {} of {BLOCK} bytes: the file is cut off", rest.len())));
    }
    let mut contents = Collected::default();
    let mut family = None;
    for (number, block) in blocks.iter().enumerate() {
        let (words, _) = block.as_chunks::<4>();
        let word = |index: usize| u32::from_le_bytes(words[index]);
        if block[..4] != MAGIC || word(1) != MAGIC_SECOND || word(BLOCK / 4 - 1) != MAGIC_END {
            return Err(damaged(number, "its magic numbers are wrong".to_owned()));
        }
        let (flags, address, length) = (word(2), word(3), word(4));
        if flags & (NOT_MAIN_FLASH | FILE_CONTAINER) != 0 {
            continue;
        }
        if length > MOST_DATA {
            return Err(damaged(
                number,
                format!("it says to have {length} bytes of data, and holds {MOST_DATA} at most"),
            ));
        }
        let of = (flags & FAMILY != 0).then(|| word(7));
        if *family.get_or_insert(of) != of {
            return Err(damaged(number, "it is for another family of chips than the block before it".to_owned()));
        }
        contents.push(address, &block[DATA..DATA + length as usize])?;
    }
    // Each block says how many there are.
    let expected = file.as_chunks::<4>().0.get(6).map_or(0, |count| u32::from_le_bytes(*count) as usize);
    if expected != blocks.len() {
        return Err(damaged(0, format!("it says that there are {expected} blocks, and there are {}", blocks.len())));
    }
    contents.finish(None)
}
