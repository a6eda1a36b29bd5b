//! Flash and RAMs as one memory: what lies where, what appears at address 0, and when predecoded code is stale.

mod flash;

use std::ops::Range;
use std::sync::Arc;

pub use self::flash::Flash;
use crate::ram::read_bytes;
use crate::units::Address;
use crate::{FlashInterface, FlashTiming, Ram, Width};

/// The memory of a code address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionKind {
    /// Code flash, at the byte offset given.
    Flash(u32),
    /// RAM, at the byte offset given.
    Ram(u32),
    /// One of the part's other RAMs, by its place among them, at the byte offset given.
    Other(usize, u32),
}

/// The memory that also appears at address 0: the one that a Cortex-M boots from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtZero {
    /// Nothing, as on other cores.
    Nothing,
    /// The code flash.
    Flash,
    /// The main RAM.
    Ram,
}

/// The accesses of masters beside the cores that are remembered: two in each cycle of the longest load or store, which meets them
/// when all of them have been made. It is a power of two.
const MOST_TAKEN: usize = 64;

/// The cores whose claims are told apart.
const CORES: usize = 2;

/// Claims that are kept of each core: in the cycle that masters are told about it has made two at most, and one since.
const MOST_CLAIMS: usize = 4;

/// The RAM that a core wants in a cycle, and the masters beside it that then wait: the one that reads and the one that writes.
type Claim = (RamSlave, u64, [bool; 2]);

/// Flash, RAM, and what appears at address 0.
#[derive(Clone, Debug)]
pub struct Memory {
    /// The main RAM.
    pub ram: Ram,
    /// The code flash.
    pub flash: Flash,
    /// RAMs beside the main one.
    others: Vec<Ram>,
    /// Those of [`Self::others`] that nothing writes, one bit each.
    read_only: u32,
    /// Further addresses of the main RAM.
    aliases: Vec<Alias>,
    /// Further addresses of the flash, at which no cache is asked.
    flash_aliases: Vec<u32>,
    at_zero: AtZero,
    /// The byte offsets in the main RAM at which another memory begins, for the bus.
    borders: &'static [u32],
    /// The latest, in a ring: each slave of the RAM may be taken in one cycle.
    taken: [Taken; MOST_TAKEN],
    /// The place of the next one there.
    next_taken: usize,
    /// The latest cycle in which one is taken: nobody waits behind it.
    last_taken: u64,
    /// The latest of what each core wants.
    claims: [[Option<Claim>; MOST_CLAIMS]; CORES],
    /// Counts what makes predecoded code stale: flash programmed, flash timing or the alias at 0 changed.
    generation: u32,
    /// The addresses whose stores are told of ([`Self::watch_stores`]).
    watched: Vec<Range<u32>>,
}

/// Addresses at which a stretch of the main RAM appears as well.
#[derive(Clone, Copy, Debug)]
struct Alias {
    base: u32,
    bytes: u32,
    /// The byte offset in the main RAM.
    offset: u32,
    /// The words at these addresses lie in the RAM one bank after the other.
    banked: bool,
}

/// Banks of a RAM over which words are distributed in turn.
const BANKS: u32 = 4;

impl Alias {
    /// The byte offset in the main RAM of the byte `offset` of the alias.
    fn place(&self, offset: u32) -> u32 {
        if !self.banked {
            return self.offset + offset;
        }
        let bank_bytes = self.bytes / BANKS;
        let (bank, inside) = (offset / bank_bytes, offset % bank_bytes);
        self.offset + (inside / 4 * BANKS + bank) * 4 + inside % 4
    }
}

/// RAM as it was, for going back to.
#[derive(Clone, Debug)]
pub struct MemorySnapshot {
    /// The contents of the main RAM, then of the others.
    rams: Vec<Vec<u8>>,
    flash: Flash,
    at_zero: AtZero,
}

/// A slave of the bus that is a part of the main RAM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RamSlave {
    /// The first of its byte offsets.
    pub from: u32,
    /// The end of its byte offsets.
    pub to: u32,
    /// Of words that several slaves there have in turn, the bits of the byte offset that tell whose one is.
    pub stripes: u32,
    /// The slave's own, among those bits.
    pub stripe: u32,
}

impl RamSlave {
    /// Tells if it has the byte offset `offset`.
    pub const fn has(&self, offset: u32) -> bool {
        self.from <= offset && offset < self.to && offset & self.stripes == self.stripe
    }
}

/// A RAM that another master than the core has for a cycle.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    slave: RamSlave,
    cycle: u64,
    /// The cycles that the core waits if it needs the slave in that cycle.
    wait: u32,
    /// The cores that the other master goes before.
    before: [bool; CORES],
}

impl Memory {
    /// Flash filled with `flash` from `flash_base` on, and zeroed RAM. Nothing appears at address 0 ([`Self::map_at_zero`]).
    pub fn new(flash_base: Address, flash: Vec<u8>, ram_base: Address, ram_bytes: usize) -> Self {
        Self {
            ram: Ram::new(ram_base, ram_bytes),
            flash: Flash {
                base: flash_base.get(),
                bytes: Arc::new(flash),
                interface: FlashInterface::new(FlashTiming::IDEAL),
                placement: None,
            },
            others: Vec::new(),
            read_only: 0,
            aliases: Vec::new(),
            flash_aliases: Vec::new(),
            at_zero: AtZero::Nothing,
            borders: &[],
            taken: [Taken::default(); MOST_TAKEN],
            next_taken: 0,
            last_taken: 0,
            claims: [[None; MOST_CLAIMS]; CORES],
            generation: 0,
            watched: Vec::new(),
        }
    }

    /// Adds another RAM, of zeros: slower to reach for the host than the main one, and in no other way different. What lies
    /// before it at the same addresses hides it.
    pub fn add_ram(&mut self, base: Address, bytes: usize) {
        self.others.push(Ram::new(base, bytes));
    }

    /// Adds a memory with `contents` that nothing writes.
    pub fn add_rom(&mut self, base: Address, contents: &[u8]) {
        self.add_ram(base, contents.len());
        self.load(base, contents);
        self.read_only |= 1u32.checked_shl(self.others.len() as u32 - 1).unwrap_or(0);
    }

    fn is_read_only(&self, other: usize) -> bool {
        self.read_only.checked_shr(other as u32).unwrap_or(0) & 1 != 0
    }

    /// Lets flash appear at `base` as well, where data is read past the cache.
    pub fn alias_flash(&mut self, base: Address) {
        self.flash_aliases.push(base.get());
    }

    /// Tells whether `address` is one at which flash is read past its cache.
    #[inline]
    pub fn is_uncached(&self, address: u32) -> bool {
        let bytes = self.flash.bytes.len();
        self.flash_aliases.iter().any(|base| (address.wrapping_sub(*base) as usize) < bytes)
    }

    /// Lets the `bytes` bytes of the main RAM from its beginning on appear at `base` as well, each of the four banks over which
    /// its words are distributed in turn after the other.
    pub fn alias_banks(&mut self, base: Address, bytes: u32) {
        let bytes = bytes.min(self.ram.bytes().len() as u32) / (4 * BANKS) * 4 * BANKS;
        self.aliases.push(Alias { base: base.get(), bytes, offset: 0, banked: true });
    }

    /// Lets `bytes` bytes of the main RAM from the byte offset `offset` on appear at `base` as well.
    pub fn alias_ram(&mut self, base: Address, bytes: u32, offset: u32) {
        let bytes = bytes.min((self.ram.bytes().len() as u32).saturating_sub(offset));
        self.aliases.push(Alias { base: base.get(), bytes, offset, banked: false });
    }

    /// Says that the main RAM is several memories that adjoin: one more begins at each of the byte offsets `borders`, which
    /// ascend. What tells them apart is time. It is said before anything runs.
    pub fn split_ram(&mut self, borders: &'static [u32]) {
        let inside = borders.partition_point(|border| (*border as usize) < self.ram.bytes().len());
        self.borders = &borders[..inside];
    }

    /// Tells whether there are several RAMs, for the bus.
    pub fn has_several_rams(&self) -> bool {
        !self.borders.is_empty() || !self.others.is_empty()
    }

    /// Tells whether `address` lies in RAM, of whatever name.
    pub fn is_ram(&self, address: u32) -> bool {
        match self.region(address) {
            Some(RegionKind::Ram(_)) => true,
            Some(RegionKind::Other(index, _)) => !self.is_read_only(index),
            Some(RegionKind::Flash(_)) | None => false,
        }
    }

    /// The addresses of the RAM that `address` lies in, where it is not an alias; none if it lies in no RAM.
    pub fn ram_around(&self, address: u32) -> Range<u32> {
        let (ram, offset) = match self.region(address) {
            Some(RegionKind::Ram(offset)) => (&self.ram, offset),
            Some(RegionKind::Other(index, _)) => {
                return self.others[index].base().get()..self.others[index].end().get();
            }
            Some(RegionKind::Flash(_)) | None => return 0..0,
        };
        let next = self.borders.partition_point(|border| *border <= offset);
        let base = ram.base().get();
        let from = next.checked_sub(1).map_or(base, |border| base + self.borders[border]);
        from..self.borders.get(next).map_or(ram.end().get(), |border| base + border)
    }

    /// Reads `width` bytes; `None` where there is no memory. Takes no time by itself.
    #[inline(always)]
    pub fn read(&self, address: u32, width: Width) -> Option<u32> {
        if let Some(value) = self.ram.read(address, width) {
            return Some(value);
        }
        match self.region(address)? {
            RegionKind::Flash(offset) => read_bytes(&self.flash.bytes, offset as usize, width),
            RegionKind::Ram(offset) => read_bytes(self.ram.bytes(), offset as usize, width),
            RegionKind::Other(index, _) => self.others[index].read(address, width),
        }
    }

    /// Stores into RAM; `false` where there is none (flash included).
    #[inline(always)]
    pub fn write(&mut self, address: u32, width: Width, value: u32) -> bool {
        if self.ram.write(address, width, value) {
            return true;
        }
        match self.region(address) {
            Some(RegionKind::Ram(offset)) => self.ram.opened(|ram| ram.put(ram.base().get() + offset, width, value)),
            Some(RegionKind::Other(index, _)) if !self.is_read_only(index) => {
                let other = &mut self.others[index];
                let written = other.put(address, width, value);
                // All ask the main RAM.
                self.ram.adopt_code_changed(other);
                written
            }
            _ => false,
        }
    }

    /// Lets cores tell of stores to `addresses` from now on, as [`Bus::tell_store`](crate::Bus::tell_store) does. Stores to pages
    /// without any cost what they did.
    pub fn watch_stores(&mut self, addresses: Range<Address>) {
        let (from, to) = (addresses.start.get(), addresses.end.get());
        if from >= to {
            return;
        }
        if let (Some(RegionKind::Ram(first)), Some(RegionKind::Ram(last))) = (self.region(from), self.region(to - 1)) {
            self.ram.watch(first, last + 1);
        }
        self.watched.push(from..to);
    }

    /// Tells whether a store of `width` to `address` is one to be told of.
    #[inline]
    pub fn is_watched(&self, address: u32, width: Width) -> bool {
        !self.watched.is_empty() && self.is_among_watched(address, width)
    }

    #[cold]
    fn is_among_watched(&self, address: u32, width: Width) -> bool {
        let end = u64::from(address) + u64::from(width.bytes());
        self.watched.iter().any(|watched| address < watched.end && u64::from(watched.start) < end)
    }

    /// Another master has `slave` in the cycle `cycle`; the core, if it wants it in that cycle, waits `wait` cycles.
    pub fn take_ram(&mut self, slave: RamSlave, cycle: u64, wait: u32) {
        self.take_ram_before(slave, cycle, wait, [false; CORES]);
    }

    /// The same of a master that goes before those cores which `before` tells of: they wait for as long as it has the slave.
    pub fn take_ram_before(&mut self, slave: RamSlave, cycle: u64, wait: u32, before: [bool; CORES]) {
        self.taken[self.next_taken % MOST_TAKEN] = Taken { slave, cycle, wait, before };
        self.next_taken = (self.next_taken + 1) % MOST_TAKEN;
        self.last_taken = self.last_taken.max(cycle);
    }

    /// Tells whether a master that goes before the core `core` has the byte offset `offset` of the main RAM in the cycle `cycle`.
    pub fn is_kept_from(&self, core: usize, offset: u32, cycle: u64) -> bool {
        let kept = |taken: &Taken| taken.cycle == cycle && taken.before[core % CORES] && taken.slave.has(offset);
        cycle <= self.last_taken && self.taken.iter().any(kept)
    }

    /// The core `core`, which goes before the masters `outranked`, the one that reads and the one that writes, wants `slave` in the
    /// cycle `cycle`.
    pub fn claim_ram(&mut self, core: usize, slave: RamSlave, cycle: u64, outranked: [bool; 2]) {
        let claims = &mut self.claims[core % CORES];
        let claim = Some((slave, cycle, outranked));
        // One that waits for its turn asks several times.
        if !claims.contains(&claim) {
            claims.rotate_right(1);
            claims[0] = claim;
        }
    }

    /// Tells whether a master beside the cores, the one that writes (`write`) or the one that reads, must leave the byte offset
    /// `offset` of the main RAM to a core in the cycle `cycle`.
    pub fn is_claimed(&self, offset: u32, cycle: u64, write: bool) -> bool {
        let here = |(slave, at, outranked): &Claim| *at == cycle && slave.has(offset) && outranked[usize::from(write)];
        self.claims.iter().flatten().flatten().any(here)
    }

    /// Returns the cycles that a master waits for the byte offset `offset` of the main RAM if its data phase is the cycle
    /// `cycle` and another has it then.
    #[inline]
    pub fn ram_wait(&self, offset: u32, cycle: u64) -> u32 {
        if cycle > self.last_taken {
            return 0;
        }
        let taken = self.taken.iter().filter(|taken| taken.cycle == cycle && taken.slave.has(offset));
        taken.map(|taken| taken.wait).max().unwrap_or(0)
    }

    /// Returns the memory that holds `address`, with the offset in it.
    #[inline]
    pub fn region(&self, address: u32) -> Option<RegionKind> {
        let flash = address.wrapping_sub(self.flash.base);
        if (flash as usize) < self.flash.bytes.len() {
            return Some(RegionKind::Flash(flash));
        }
        if let Some(offset) = self.ram.offset(address) {
            return Some(RegionKind::Ram(offset));
        }
        let at_zero = match self.at_zero {
            AtZero::Nothing => None,
            AtZero::Flash => ((address as usize) < self.flash.bytes.len()).then_some(RegionKind::Flash(address)),
            AtZero::Ram => ((address as usize) < self.ram.bytes().len()).then_some(RegionKind::Ram(address)),
        };
        at_zero.or_else(|| self.alias(address)).or_else(|| self.other(address))
    }

    /// Tells whether what adjoins at `address` does not adjoin in the main RAM.
    fn is_banked(&self, address: u32) -> bool {
        self.aliases.iter().any(|alias| alias.banked && address.wrapping_sub(alias.base) < alias.bytes)
    }

    fn alias(&self, address: u32) -> Option<RegionKind> {
        let at = |alias: &Alias| {
            let offset = address.wrapping_sub(alias.base);
            (offset < alias.bytes).then(|| RegionKind::Ram(alias.place(offset)))
        };
        let of_flash = |base: &u32| {
            let offset = address.wrapping_sub(*base);
            ((offset as usize) < self.flash.bytes.len()).then_some(RegionKind::Flash(offset))
        };
        self.aliases.iter().find_map(at).or_else(|| self.flash_aliases.iter().find_map(of_flash))
    }

    fn other(&self, address: u32) -> Option<RegionKind> {
        let at = |(index, other): (usize, &Ram)| Some(RegionKind::Other(index, other.offset(address)?));
        self.others.iter().enumerate().find_map(at)
    }

    /// Lets `at_zero` appear at address 0. Call it once before a core is made if anything is ever to appear there: the core's
    /// tables of blocks then have places for it.
    pub fn map_at_zero(&mut self, at_zero: AtZero) {
        if self.at_zero != at_zero {
            self.at_zero = at_zero;
            self.generation += 1;
        }
    }

    /// Returns the most bytes that can appear at address 0: the size of flash or RAM, whichever is larger, or 0.
    pub fn most_at_zero(&self) -> usize {
        if self.at_zero == AtZero::Nothing { 0 } else { self.flash.bytes.len().max(self.ram.bytes().len()) }
    }

    /// Remembers that code was predecoded from the RAM offsets `from..to`, so that a store there is noticed.
    pub fn mark_code(&mut self, from: u32, to: u32) {
        self.ram.mark_code(from, to);
    }

    /// Remembers that code was predecoded from the `bytes` bytes at `address`, in whatever RAM that is.
    pub fn mark_code_at(&mut self, address: u32, bytes: u32) {
        if bytes > 1 && self.is_banked(address) {
            return (0..bytes).for_each(|byte| self.mark_code_at(address.wrapping_add(byte), 1));
        }
        match self.region(address) {
            Some(RegionKind::Ram(offset)) => self.ram.mark_code(offset, offset.saturating_add(bytes)),
            Some(RegionKind::Other(index, offset)) => {
                self.others[index].mark_code(offset, offset.saturating_add(bytes));
            }
            Some(RegionKind::Flash(_)) | None => {}
        }
    }

    /// Tells whether code in RAM was overwritten since the last call. Another core learns it by [`Self::generation`].
    #[inline(always)]
    pub fn take_code_changed(&mut self) -> bool {
        let changed = self.ram.take_code_changed();
        self.generation += u32::from(changed);
        changed
    }

    /// Tells whether code in RAM was overwritten since the last [`take_code_changed`](Self::take_code_changed).
    #[inline(always)]
    pub fn code_changed(&self) -> bool {
        self.ram.code_changed()
    }

    /// Grows whenever predecoded flash code became stale, and when somebody has taken note of changed code in RAM.
    #[inline(always)]
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Remembers RAM, flash and the interface's state; pages written from now on are restored by [`Self::restore`].
    pub fn snapshot(&mut self) -> MemorySnapshot {
        let rams = std::iter::once(&mut self.ram).chain(&mut self.others).map(Ram::snapshot).collect();
        MemorySnapshot { rams, flash: self.flash.clone(), at_zero: self.at_zero }
    }

    /// Goes back to `snapshot`, which must be this memory's latest: copies only the pages written since.
    pub fn restore(&mut self, snapshot: &MemorySnapshot) {
        for (ram, was) in std::iter::once(&mut self.ram).chain(&mut self.others).zip(&snapshot.rams) {
            ram.restore(was);
        }
        self.take_over(&snapshot.flash, snapshot.at_zero);
        // What masters had and cores wanted was in cycles that come anew.
        (self.taken, self.next_taken, self.last_taken) = ([Taken::default(); MOST_TAKEN], 0, 0);
        self.claims = [[None; MOST_CLAIMS]; CORES];
    }

    /// Takes over the contents, timing and interface state of `from`, memory of the same sizes. What was predecoded from
    /// this memory stays known to be so: a page of code that changes, or flash that does, is noticed as ever.
    pub fn restore_from(&mut self, from: &Self) {
        self.ram.restore_from(&from.ram);
        for (ours, theirs) in self.others.iter_mut().zip(&from.others) {
            ours.restore_from(theirs);
        }
        self.take_over(&from.flash, from.at_zero);
        (self.taken, self.next_taken) = (from.taken, from.next_taken);
        (self.last_taken, self.claims) = (from.last_taken, from.claims);
    }

    /// Takes over flash and the memory at 0, after the contents of RAM.
    fn take_over(&mut self, flash: &Flash, at_zero: AtZero) {
        self.collect_code_changes();
        let same_bytes = Arc::ptr_eq(&self.flash.bytes, &flash.bytes);
        if !same_bytes {
            self.flash.bytes = Arc::clone(&flash.bytes);
        }
        let same_places = match (&self.flash.placement, &flash.placement) {
            (None, None) => true,
            (Some(ours), Some(theirs)) => Arc::ptr_eq(ours, theirs),
            _ => false,
        };
        let same_timing = same_places && self.flash.interface.timing() == flash.interface.timing();
        if !same_bytes || !same_timing || self.at_zero != at_zero {
            self.generation += 1;
        }
        if !same_places {
            self.flash.placement.clone_from(&flash.placement);
        }
        self.flash.interface.clone_from(&flash.interface);
        self.at_zero = at_zero;
    }

    /// Changed code of any RAM is the main one's to say.
    fn collect_code_changes(&mut self) {
        for other in &mut self.others {
            self.ram.adopt_code_changed(other);
        }
    }

    /// Fills memory as a loader or a debug probe does: flash and RAM alike, no time; what was predecoded from there is
    /// stale. `false` where there is none, and then nothing is done.
    pub fn load(&mut self, address: Address, data: &[u8]) -> bool {
        if data.is_empty() {
            return true;
        }
        if self.is_banked(address.get()) && data.len() > 1 {
            let mut bytes = (address.get()..).zip(data);
            return bytes.all(|(at, byte)| self.load(Address::new(at), &[*byte]));
        }
        let Some(region) = self.region(address.get()) else { return false };
        match region {
            RegionKind::Other(index, _) if self.is_read_only(index) => return false,
            RegionKind::Flash(offset) => {
                let range = offset as usize..offset as usize + data.len();
                if range.end > self.flash.bytes.len() {
                    return false;
                }
                Arc::make_mut(&mut self.flash.bytes)[range].copy_from_slice(data);
                self.generation += 1;
            }
            RegionKind::Ram(offset) => {
                return self.ram.opened(|ram| {
                    ram.bytes_mut(offset as usize, data.len()).map(|place| place.copy_from_slice(data)).is_some()
                });
            }
            RegionKind::Other(index, offset) => {
                let Some(place) = self.others[index].bytes_mut(offset as usize, data.len()) else { return false };
                place.copy_from_slice(data);
                self.collect_code_changes();
            }
        }
        true
    }
}

#[cfg(test)]
mod tests;
