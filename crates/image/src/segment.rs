//! Loadable segments by physical address.

use std::ops::Range;

use cyclescope_machine::units::Address;
use object::read::elf::ProgramHeader;
use object::{LittleEndian, elf};

use crate::ImageError;
use crate::cover::Cover;

/// Bytes that are loaded at one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<'a> {
    /// The load address (ELF `p_paddr`).
    pub address: Address,
    /// The address at run time (ELF `p_vaddr`). It differs from `address` for data that start-up code copies.
    pub virtual_address: Address,
    /// The bytes; never empty.
    pub bytes: &'a [u8],
}

/// The address ranges and the file range of a loadable segment.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) address: u32,
    pub(crate) virtual_address: u32,
    pub(crate) file: Range<usize>,
}

impl Placed {
    /// Returns the addresses at run time.
    pub(crate) fn virtual_range(&self) -> Range<u64> {
        let start = u64::from(self.virtual_address);
        start..start + self.file.len() as u64
    }

    /// Returns the physical address of a byte of the file that this segment loads.
    fn load_address(&self, offset: u64) -> u32 {
        self.address.wrapping_add(offset.wrapping_sub(self.file.start as u64) as u32)
    }
}

/// The file ranges of segments, for a search.
pub(crate) struct Loaded<'a> {
    segments: &'a [Placed],
    cover: Cover,
}

impl<'a> Loaded<'a> {
    pub(crate) fn new(segments: &'a [Placed]) -> Self {
        Self {
            segments,
            cover: Cover::new(segments.iter().map(|placed| placed.file.start as u64..placed.file.end as u64)),
        }
    }

    /// Returns the physical address of a byte of the file, if a segment loads it.
    pub(crate) fn address(&self, file_offset: u64) -> Option<u32> {
        Some(self.segments.get(self.cover.first(file_offset)?)?.load_address(file_offset))
    }
}

/// Returns the non-empty `PT_LOAD` segments, sorted by physical address.
pub(crate) fn place(
    headers: &[elf::ProgramHeader32<LittleEndian>],
    file_length: usize,
) -> Result<Vec<Placed>, ImageError> {
    let endian = LittleEndian;
    let mut placed = Vec::new();
    for header in headers.iter().filter(|header| header.p_type(endian) == elf::PT_LOAD) {
        let (offset, size) = header.file_range(endian);
        if size == 0 {
            continue;
        }
        let end = offset.saturating_add(size);
        if end > file_length as u64 {
            return Err(ImageError::Truncated { what: "a segment", needed: end, available: file_length as u64 });
        }
        let address = header.p_paddr(endian);
        if u64::from(address) + size > 1 << 32 {
            return Err(ImageError::AddressOverflow { address: Address::new(address), size });
        }
        placed.push(Placed { address, virtual_address: header.p_vaddr(endian), file: offset as usize..end as usize });
    }
    if placed.is_empty() {
        return Err(ImageError::NoSegment);
    }
    placed.sort_by_key(|segment| segment.address);
    check_apart(&placed)?;
    Ok(placed)
}

/// Checks that no two of `placed`, which are sorted by physical address, overlap.
pub(crate) fn check_apart(placed: &[Placed]) -> Result<(), ImageError> {
    for pair in placed.windows(2) {
        if u64::from(pair[0].address) + pair[0].file.len() as u64 > u64::from(pair[1].address) {
            return Err(ImageError::Overlap {
                first: Address::new(pair[0].address),
                second: Address::new(pair[1].address),
            });
        }
    }
    Ok(())
}
