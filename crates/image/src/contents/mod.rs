//! Bytes for memory from files without symbols: Intel HEX, UF2 and plain binaries.

mod intel_hex;
mod uf2;

use std::ops::Range;

use cyclescope_machine::units::Address;

use crate::ImageError;
use crate::segment::Placed;

/// Bytes by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    bytes: Vec<u8>,
    /// The address and the bytes of each run, in ascending order. Runs have gaps between them.
    runs: Vec<(u32, Range<usize>)>,
    start: Option<Address>,
}

impl Contents {
    /// Returns the contents of `bytes` at `address`.
    ///
    /// # Errors
    /// [`ImageError::NoContents`] for no bytes, [`ImageError::AddressOverflow`] for bytes beyond the 32-bit address space.
    pub fn binary(bytes: &[u8], address: Address) -> Result<Self, ImageError> {
        let mut contents = Collected::default();
        contents.push(address.get(), bytes)?;
        contents.finish(None)
    }

    /// Reads an Intel HEX or a UF2 file, as its first bytes tell. `None` for other files.
    ///
    /// # Errors
    /// [`ImageError::Contents`] with the line or block of a defect, and the errors of [`Self::binary`].
    pub fn read(file: &[u8]) -> Result<Option<Self>, ImageError> {
        match file {
            [b':', ..] => intel_hex::read(file).map(Some),
            _ if file.starts_with(&uf2::MAGIC) => uf2::read(file).map(Some),
            _ => Ok(None),
        }
    }

    /// Returns the address of the first instruction, or the lowest address if the file names none.
    pub(crate) fn start(&self) -> Address {
        self.start.unwrap_or_else(|| Address::new(self.runs.first().map_or(0, |(address, _)| *address)))
    }

    /// Returns the bytes, and the segments in them by ascending address.
    pub(crate) fn into_segments(self) -> (Vec<u8>, Vec<Placed>) {
        let placed = |(address, file)| Placed { address, virtual_address: address, file };
        (self.bytes, self.runs.into_iter().map(placed).collect())
    }
}

/// Bytes in the order of a file.
#[derive(Default)]
struct Collected {
    bytes: Vec<u8>,
    runs: Vec<(u32, Range<usize>)>,
}

impl Collected {
    /// Appends `bytes` at `address`.
    fn push(&mut self, address: u32, bytes: &[u8]) -> Result<(), ImageError> {
        let size = bytes.len() as u64;
        if u64::from(address) + size > 1 << 32 {
            return Err(ImageError::AddressOverflow { address: Address::new(address), size });
        }
        let from = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        match self.runs.last_mut() {
            Some((start, run)) if u64::from(*start) + run.len() as u64 == u64::from(address) => {
                run.end = self.bytes.len();
            }
            _ if bytes.is_empty() => {}
            _ => self.runs.push((address, from..self.bytes.len())),
        }
        Ok(())
    }

    /// Returns the bytes by address. Neighbours are joined, so that an order of the file changes no segment.
    fn finish(mut self, start: Option<Address>) -> Result<Contents, ImageError> {
        self.runs.sort_by_key(|(address, _)| *address);
        let mut sorted = Self::default();
        for (address, run) in &self.runs {
            if let Some((before, known)) = sorted.runs.last()
                && u64::from(*before) + known.len() as u64 > u64::from(*address)
            {
                return Err(ImageError::Overlap { first: Address::new(*before), second: Address::new(*address) });
            }
            sorted.push(*address, &self.bytes[run.clone()])?;
        }
        if sorted.runs.is_empty() {
            return Err(ImageError::NoContents);
        }
        Ok(Contents { bytes: sorted.bytes, runs: sorted.runs, start })
    }
}
