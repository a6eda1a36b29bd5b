//! Physical memory protection: RISC-V Privileged Architecture 20211203, §3.7; Smepmp: PMP Enhancements for memory access and
//! execution prevention on Machine mode, version 1.0.

use cyclescope_machine::AccessKind;

use crate::trap::Privilege;

/// The most entries.
pub const MOST: usize = 16;

const READ: u8 = 1;
const WRITE: u8 = 1 << 1;
const EXECUTE: u8 = 1 << 2;
const LOCKED: u8 = 1 << 7;
/// The bits of a configuration that there are.
const IMPLEMENTED: u8 = LOCKED | 3 << 3 | EXECUTE | WRITE | READ;

/// mseccfg.MML: locked entries bind M mode alone, others U mode alone, but for those that both share.
const MACHINE_LOCKDOWN: u8 = 1;
/// mseccfg.MMWP: M mode may do nothing where no entry matches.
const MACHINE_WHITELIST: u8 = 1 << 1;
/// mseccfg.RLB: locked entries can be changed.
const LOCKING_BYPASS: u8 = 1 << 2;

/// The rule by which an entry matches addresses (table 3.10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Matching {
    Off,
    TopOfRange,
    NaturallyAligned4,
    NaturallyAligned,
}

impl Matching {
    const fn of(configuration: u8) -> Self {
        match configuration >> 3 & 3 {
            0 => Self::Off,
            1 => Self::TopOfRange,
            2 => Self::NaturallyAligned4,
            _ => Self::NaturallyAligned,
        }
    }
}

/// Addresses that are all treated alike: from the first to before the second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    pub(crate) from: u32,
    /// Its size, but that the last byte is missing from one of the whole address space; nothing is in one of size zero.
    pub(crate) bytes: u32,
}

impl Window {
    /// Tells whether `address` is in it. An aligned access is in it if its first byte is.
    #[inline(always)]
    pub const fn contains(&self, address: u32) -> bool {
        address.wrapping_sub(self.from) < self.bytes
    }
}

/// The entries and their settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pmp {
    configuration: [u8; MOST],
    address: [u32; MOST],
    regions: usize,
    granularity: u32,
    /// mseccfg; `None` without Smepmp.
    security: Option<u8>,
    /// It is VexRiscv's PmpPlugin.
    plugin: bool,
}

impl Pmp {
    /// `regions` entries (at most 16 count), all off; the smallest region has 2^(`granularity`+2) bytes. `enhanced` says if
    /// there is Smepmp.
    pub fn new(regions: u8, granularity: u8, enhanced: bool) -> Self {
        Self {
            configuration: [0; MOST],
            address: [0; MOST],
            regions: usize::from(regions).min(MOST),
            granularity: u32::from(granularity).min(29),
            security: enhanced.then_some(0),
            plugin: false,
        }
    }

    /// The same as VexRiscv's PmpPlugin (`VexRiscv_Secure.v` of the package) has it: entries match by the mask that it derives from an
    /// address, in M mode only locked ones; all that match give their rights; registers keep what is written.
    pub fn of_plugin(self) -> Self {
        Self { plugin: true, ..self }
    }

    /// mseccfg; `None` without Smepmp.
    pub fn security(&self) -> Option<u32> {
        self.security.map(u32::from)
    }

    /// Writes mseccfg. MML and MMWP stay set; RLB cannot be set while an entry is locked.
    pub fn write_security(&mut self, value: u32) {
        let Some(before) = self.security else { return };
        let sticky = before & (MACHINE_LOCKDOWN | MACHINE_WHITELIST);
        let bypass = before & LOCKING_BYPASS != 0 || !self.any_locked();
        let settable = MACHINE_LOCKDOWN | MACHINE_WHITELIST | if bypass { LOCKING_BYPASS } else { 0 };
        self.security = Some(value as u8 & settable | sticky);
    }

    fn is_set(&self, bit: u8) -> bool {
        self.security.is_some_and(|security| security & bit != 0)
    }

    /// Tells whether an entry of this configuration can be changed.
    fn is_open(&self, configuration: u8) -> bool {
        configuration & LOCKED == 0 || self.is_set(LOCKING_BYPASS)
    }

    /// Tells whether M mode may be denied anything.
    pub fn binds_machine(&self) -> bool {
        self.is_set(MACHINE_LOCKDOWN | MACHINE_WHITELIST) || self.any_locked()
    }

    /// Entries there are.
    pub fn regions(&self) -> usize {
        self.regions
    }

    /// Tells whether any entry is locked.
    fn any_locked(&self) -> bool {
        self.configuration[..self.regions].iter().any(|configuration| configuration & LOCKED != 0)
    }

    /// pmpcfg`index`: four entries' configurations.
    pub fn read_configuration(&self, index: usize) -> u32 {
        let entry = |offset: usize| self.configuration.get(4 * index + offset).copied().unwrap_or(0);
        u32::from_le_bytes([entry(0), entry(1), entry(2), entry(3)])
    }

    /// Writes pmpcfg`index`. Locked entries stay; R = 0 with W = 1 is reserved and leaves those two and X as they were;
    /// NA4 cannot be chosen where regions are larger. With mseccfg.MML, R = 0 with W = 1 has a meaning, and no entry that M
    /// mode may execute can be added unless RLB is set.
    pub fn write_configuration(&mut self, index: usize, value: u32) {
        for (offset, value) in value.to_le_bytes().into_iter().enumerate() {
            let entry = 4 * index + offset;
            if entry >= self.regions || !self.is_open(self.configuration[entry]) {
                continue;
            }
            if self.plugin {
                self.configuration[entry] = value;
                continue;
            }
            let lockdown = self.is_set(MACHINE_LOCKDOWN);
            if lockdown && !self.is_set(LOCKING_BYPASS) && lockdown_rights(value, Privilege::Machine) & EXECUTE != 0 {
                continue;
            }
            let before = self.configuration[entry];
            let mut value = value & IMPLEMENTED;
            if !lockdown && value & (READ | WRITE) == WRITE {
                value &= !(READ | WRITE);
            }
            if self.granularity > 0 && Matching::of(value) == Matching::NaturallyAligned4 {
                value = value & !(3 << 3) | before & 3 << 3;
            }
            self.configuration[entry] = value;
        }
    }

    /// pmpaddr`index`, with the low bits that the granularity and the entry's matching leave (§3.7.1).
    pub fn read_address(&self, index: usize) -> u32 {
        let Some(&address) = self.address.get(index) else { return 0 };
        if self.plugin {
            return address;
        }
        let low = self.granularity;
        match Matching::of(self.configuration[index]) {
            Matching::NaturallyAligned if low >= 2 => address | ((1 << (low - 1)) - 1),
            Matching::Off | Matching::TopOfRange if low >= 1 => address & !((1 << low) - 1),
            _ => address,
        }
    }

    /// Writes pmpaddr`index`, unless it is locked, itself or as the bottom of the next entry's range.
    pub fn write_address(&mut self, index: usize, value: u32) {
        if index >= self.regions || !self.is_open(self.configuration[index]) {
            return;
        }
        if let Some(next) = self.configuration[..self.regions].get(index + 1)
            && !self.is_open(*next)
            && Matching::of(*next) == Matching::TopOfRange
            && !self.plugin
        {
            return;
        }
        self.address[index] = value;
    }

    /// The bytes that the entry `index` matches, from the first to before the second, if any.
    fn range(&self, index: usize) -> Option<(u64, u64)> {
        let address = |index: usize| u64::from(self.address[index] >> self.granularity << self.granularity) << 2;
        match Matching::of(self.configuration[index]) {
            Matching::Off => None,
            Matching::TopOfRange => {
                let from = index.checked_sub(1).map_or(0, address);
                Some((from, address(index))).filter(|(from, to)| from < to)
            }
            Matching::NaturallyAligned4 => {
                let from = u64::from(self.address[index]) << 2;
                Some((from, from + 4))
            }
            Matching::NaturallyAligned => {
                let address = u64::from(self.read_address(index));
                let ones = address.trailing_ones();
                let from = (address & !((1 << ones) - 1)) << 2;
                Some((from, from + (8 << ones)))
            }
        }
    }

    /// The same as [`look`](Self::look) for VexRiscv's PmpPlugin, which sees 128 bytes as one. The data cache does not ask it about what it
    /// does not keep.
    fn look_in_plugin(&self, address: u32, kind: AccessKind, needed: u8, privilege: Privilege) -> (bool, Window) {
        if kind != AccessKind::Fetch && address >> 31 != 0 {
            return (true, Window { from: 1 << 31, bytes: 1 << 31 });
        }
        let machine = privilege == Privilege::Machine;
        let matches = |index: &usize| {
            let (configuration, region) = (self.configuration[*index], self.address[*index]);
            let ones = region & !region.wrapping_add(1);
            let (base, mask) = ((region ^ ones) >> 5 & 0x01FF_FFFF, !(ones >> 6) & 0x01FF_FFFF);
            let binds = configuration & LOCKED != 0 || !machine;
            binds && Matching::of(configuration) == Matching::NaturallyAligned && address >> 7 & mask == base
        };
        let rights = (0..self.regions).filter(matches).map(|index| self.configuration[index]).reduce(|a, b| a | b);
        let allowed = rights.map_or(machine, |rights| rights & needed != 0);
        (allowed, Window { from: address & !127, bytes: 128 })
    }

    /// Returns whether an access of `kind` at `address` may be made in the mode `privilege`, and the addresses around it with
    /// the same answer. The access has at most four bytes and does not cross a word boundary.
    pub fn look(&self, address: u32, kind: AccessKind, privilege: Privilege) -> (bool, Window) {
        let needed = match kind {
            AccessKind::Fetch => EXECUTE,
            AccessKind::Read => READ,
            AccessKind::Write => WRITE,
        };
        if self.plugin {
            return self.look_in_plugin(address, kind, needed, privilege);
        }
        let at = u64::from(address);
        let (mut from, mut to) = (0, 1 << 32);
        let window =
            |from: u64, to: u64| Window { from: from as u32, bytes: (to - from).min(u64::from(u32::MAX)) as u32 };
        for index in 0..self.regions {
            let Some((first, end)) = self.range(index) else { continue };
            if end <= at {
                from = from.max(end);
            } else if at < first {
                to = to.min(first);
            } else {
                let configuration = self.configuration[index];
                let rights = match self.is_set(MACHINE_LOCKDOWN) {
                    true => lockdown_rights(configuration, privilege),
                    false if privilege == Privilege::User || configuration & LOCKED != 0 => configuration,
                    false => READ | WRITE | EXECUTE,
                };
                return (rights & needed != 0, window(from.max(first), to.min(end)));
            }
        }
        let machine = privilege == Privilege::Machine && !self.is_set(MACHINE_WHITELIST);
        let unmatched = machine && !(self.is_set(MACHINE_LOCKDOWN) && kind == AccessKind::Fetch);
        (unmatched || self.regions == 0, window(from, to))
    }
}

/// Returns the rights that an entry gives under mseccfg.MML (Smepmp, section 2.1, its truth table).
const fn lockdown_rights(configuration: u8, privilege: Privilege) -> u8 {
    let rights = configuration & (READ | WRITE | EXECUTE);
    let locked = configuration & LOCKED != 0;
    let machine = matches!(privilege, Privilege::Machine);
    const WRITE_EXECUTE: u8 = WRITE | EXECUTE;
    const ALL: u8 = READ | WRITE | EXECUTE;
    match (locked, rights, machine) {
        // Regions that both modes share.
        (false, WRITE, true) | (false, WRITE_EXECUTE, _) => READ | WRITE,
        (false, WRITE, false) | (true, ALL, _) => READ,
        (true, WRITE, _) | (true, WRITE_EXECUTE, false) => EXECUTE,
        (true, WRITE_EXECUTE, true) => READ | EXECUTE,
        // Those of one mode.
        _ if locked == machine => rights,
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
