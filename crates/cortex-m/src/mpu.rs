//! The memory protection unit: PMSAv6 and PMSAv7 (DDI 0419E §B3.5, DDI 0403E §B3.5).

use crate::address_map::executable;

/// The most regions.
const REGIONS: usize = 16;

/// MPU_CTRL bits.
const ENABLE: u32 = 1;
const HFNMIENA: u32 = 2;
const PRIVDEFENA: u32 = 4;

/// The intended use of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// To read data.
    Read,
    /// To write data.
    Write,
    /// To execute.
    Fetch,
}

/// One region as written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Region {
    base: u32,
    attributes: u32,
}

impl Region {
    /// The address bits that choose the region; `None` when it is off.
    fn mask(self) -> Option<u32> {
        let size = self.attributes >> 1 & 0x1F;
        // A size below 2^5 bytes is unpredictable; such a region is off.
        (self.attributes & 1 != 0 && size >= 4).then(|| u32::MAX.checked_shl(size + 1).unwrap_or(0))
    }

    /// Tells whether `address` lies in the region and in a subregion that is on.
    fn holds(self, address: u32) -> bool {
        let Some(mask) = self.mask() else { return false };
        if (address ^ self.base) & mask != 0 {
            return false;
        }
        let size = self.attributes >> 1 & 0x1F;
        // Regions of 256 bytes and more have eight subregions.
        let subregion = if size >= 7 { address >> (size - 2) & 7 } else { return true };
        self.attributes >> (8 + subregion) & 1 == 0
    }

    /// Tells whether the region's attributes allow `intent` (DDI 0403E table B3-15).
    fn allows(self, intent: Intent, privileged: bool) -> bool {
        let (reads, writes) = match (self.attributes >> 24 & 7, privileged) {
            (1, true) | (3, _) | (2, true) => (true, true),
            (2, false) | (5, true) | (6 | 7, _) => (true, false),
            _ => (false, false),
        };
        match intent {
            Intent::Read => reads,
            Intent::Write => writes,
            Intent::Fetch => reads && self.attributes >> 28 & 1 == 0,
        }
    }
}

/// The unit's registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mpu {
    /// Regions the part has; 0 without the unit.
    count: u8,
    control: u32,
    number: u32,
    regions: [Region; REGIONS],
    /// Counts changes, so that what was checked before is checked anew.
    generation: u32,
}

impl Mpu {
    /// A unit with `count` regions, all off.
    pub fn new(count: u8) -> Self {
        Self { count: count.min(16), control: 0, number: 0, regions: [Region::default(); REGIONS], generation: 0 }
    }

    /// Tells whether the unit checks accesses.
    #[inline(always)]
    pub fn is_on(&self) -> bool {
        self.control & ENABLE != 0
    }

    /// Tells whether a unit that is on also checks HardFault, NMI and code under FAULTMASK (MPU_CTRL.HFNMIENA).
    pub fn checks_urgent_code(&self) -> bool {
        self.control & HFNMIENA != 0
    }

    /// Returns the count of changes, which differs between the present settings and all earlier ones.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// MPU_TYPE.
    pub fn kind(&self) -> u32 {
        u32::from(self.count) << 8
    }

    /// Reads the register at the byte offset `offset` from MPU_CTRL.
    pub fn read(&self, offset: u32) -> u32 {
        if self.count == 0 {
            return 0;
        }
        let region = self.regions[self.number as usize % REGIONS];
        match offset {
            0 => self.control,
            4 => self.number,
            // RBAR and RASR, and their aliases.
            _ if offset & 4 == 0 => region.base | self.number & 0xF,
            _ => region.attributes,
        }
    }

    /// Writes the register at the byte offset `offset` from MPU_CTRL.
    pub fn write(&mut self, offset: u32, value: u32) {
        if self.count == 0 {
            return;
        }
        self.generation += 1;
        match offset {
            0 => self.control = value & (ENABLE | HFNMIENA | PRIVDEFENA),
            4 => self.select(value & 0xFF),
            _ if offset & 4 == 0 => {
                if value & 1 << 4 != 0 {
                    self.select(value & 0xF);
                }
                self.regions[self.number as usize % REGIONS].base = value & !0x1F;
            }
            _ => self.regions[self.number as usize % REGIONS].attributes = value & 0x173F_FF3F,
        }
    }

    fn select(&mut self, number: u32) {
        self.number = number % u32::from(self.count).max(1);
    }

    /// Tells whether `intent` is allowed for one byte at `address`.
    pub fn allows(&self, address: u32, intent: Intent, privileged: bool) -> bool {
        let regions = &self.regions[..usize::from(self.count)];
        match regions.iter().rev().find(|region| region.holds(address)) {
            Some(region) => region.allows(intent, privileged),
            // The default map, in which devices cannot be executed.
            None => privileged && self.control & PRIVDEFENA != 0 && (intent != Intent::Fetch || executable(address)),
        }
    }
}
