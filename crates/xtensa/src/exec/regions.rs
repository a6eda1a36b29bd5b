//! The region protection option (§4.6.3): an attribute for each of eight regions of 512 MB, for fetches and for data.

use cyclescope_machine::AccessKind;

/// The attributes that allow loads and stores.
const DATA: u16 = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 4 | 1 << 5 | 1 << 14;
/// The attributes that allow fetches.
const CODE: u16 = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5;

/// The attributes of the regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Regions {
    instruction: [u8; 8],
    data: [u8; 8],
    /// Counts the settings.
    edition: u32,
}

impl Regions {
    /// After a reset all is allowed, past the caches.
    pub(crate) const RESET: Self = Self { instruction: [2; 8], data: [2; 8], edition: 0 };

    const fn region(address: u32) -> usize {
        (address >> 29) as usize
    }

    /// The attribute of the region of `address`, for instructions or data.
    pub(super) fn attribute(&self, address: u32, instruction: bool) -> u32 {
        let table = if instruction { &self.instruction } else { &self.data };
        table[Self::region(address)].into()
    }

    /// The region of `address` gets the `attribute`.
    pub(super) fn set(&mut self, address: u32, instruction: bool, attribute: u32) {
        let table = if instruction { &mut self.instruction } else { &mut self.data };
        table[Self::region(address)] = (attribute & 15) as u8;
        self.edition += 1;
    }

    /// Tells whether the access of `kind` is allowed.
    pub(crate) fn allow(&self, address: u32, kind: AccessKind) -> bool {
        let region = Self::region(address);
        match kind {
            AccessKind::Fetch => CODE >> self.instruction[region] & 1 != 0,
            // A region that may only be executed from may not be read either.
            _ => DATA >> self.data[region] & 1 != 0,
        }
    }

    /// Tells whether all data may be reached.
    pub(super) fn allow_all_data(&self) -> bool {
        self.data.iter().all(|attribute| DATA >> attribute & 1 != 0)
    }

    /// Stands for the settings that fetches are checked under; 0 where none is forbidden.
    pub(crate) fn fetch_key(&self) -> u32 {
        let all = self.instruction.iter().all(|attribute| CODE >> attribute & 1 != 0);
        if all { 0 } else { (self.edition & 0x7FFF_FFFF).max(1) }
    }

    /// Checks fetches from `pc` to before `end`. The error is the first address that must not be fetched.
    pub(crate) fn may_fetch(&self, pc: u32, end: u32) -> Result<(), u32> {
        let last = end.wrapping_sub(1);
        match [pc, last].into_iter().find(|address| !self.allow(*address, AccessKind::Fetch)) {
            None => Ok(()),
            Some(address) if address == pc => Err(pc),
            Some(address) => Err(address & !0x1FFF_FFFF),
        }
    }
}
