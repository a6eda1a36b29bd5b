//! The memory protection unit: PMSAv6 and PMSAv7 (DDI 0419E §B3.5, DDI 0403E §B3.5).

use crate::cpu::{Cpu, Fault, FaultKind};
use crate::exec::is_private;

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
    fn allows(&self, address: u32, intent: Intent, privileged: bool) -> bool {
        let regions = &self.regions[..usize::from(self.count)];
        match regions.iter().rev().find(|region| region.holds(address)) {
            Some(region) => region.allows(intent, privileged),
            // The default map, in which devices cannot be executed.
            None => privileged && self.control & PRIVDEFENA != 0 && (intent != Intent::Fetch || executable(address)),
        }
    }
}

/// Tells whether the default memory map lets code run at `address` (DDI 0403E table B3-1).
pub const fn executable(address: u32) -> bool {
    matches!(address >> 29, 0 | 1 | 3 | 4)
}

impl Cpu {
    /// Tells whether the unit checks the code that runs now: in HardFault, NMI and under FAULTMASK only if
    /// MPU_CTRL.HFNMIENA is set.
    fn is_protected(&self) -> bool {
        self.mpu.is_on() && (self.mpu.control & HFNMIENA != 0 || self.execution_priority() > -1)
    }

    /// Checks an aligned data access of any width. No such access lies in two regions, because regions have at least 32 bytes.
    #[inline(always)]
    pub(crate) fn check_protection(&self, address: u32, intent: Intent) -> Result<(), Fault> {
        if !self.mpu.is_on() { Ok(()) } else { self.check_regions(address, intent) }
    }

    #[inline(never)]
    fn check_regions(&self, address: u32, intent: Intent) -> Result<(), Fault> {
        let privileged = self.privileged() && !self.acts_unprivileged;
        if is_private(address) || !self.is_protected() || self.mpu.allows(address, intent, privileged) {
            return Ok(());
        }
        let cause = match intent {
            Intent::Write => "write that the MPU forbids",
            _ => "read that the MPU forbids",
        };
        Err(Fault { kind: FaultKind::DataAccess, cause, address: Some(address) })
    }

    /// Tells whether the MPU lets the instructions from `from` up to `to` run.
    pub(crate) fn allows_fetches(&self, from: u32, to: u32) -> bool {
        if !self.is_protected() {
            return true;
        }
        let privileged = self.privileged();
        // 32 bytes are the least that a region or subregion holds.
        let mut address = from;
        while address < to {
            if !self.mpu.allows(address, Intent::Fetch, privileged) {
                return false;
            }
            address = (address | 0x1F).wrapping_add(1);
            if address == 0 {
                break;
            }
        }
        true
    }

    /// Returns the key of the present settings and privilege: blocks that were checked under it run unchecked. 0 while
    /// the unit does not check the code that runs.
    pub(crate) fn protection_key(&self) -> u32 {
        if !self.is_protected() {
            return 0;
        }
        (self.mpu.generation().wrapping_mul(2) | u32::from(self.privileged())) % (u32::MAX - 2) + 1
    }
}
