//! Flash and RAM: bytes, the aliases a part gives them, and the bookkeeping that makes snapshots and code in RAM cheap.

use std::sync::Arc;

use cyclescope_units::Address;

use crate::{FlashInterface, FlashTiming, Width};

/// RAM is tracked in pages of this many bytes.
const PAGE_BYTES: usize = 512;
const PAGE_SHIFT: u32 = PAGE_BYTES.trailing_zeros();

/// Written since the last snapshot, and holds no predecoded code: stores need no bookkeeping.
const DIRTY: u8 = 1;
/// Predecoded code was taken from this page.
const CODE: u8 = 2;

/// The part's main RAM, contiguous.
#[derive(Clone, Debug)]
pub struct Ram {
    base: u32,
    bytes: Vec<u8>,
    pages: Vec<u8>,
    code_changed: bool,
}

/// The part's code flash. Cloned machines share its bytes.
#[derive(Clone, Debug)]
pub struct Flash {
    base: u32,
    bytes: Arc<Vec<u8>>,
    interface: FlashInterface,
}

/// Which memory a code address lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionKind {
    /// Code flash, at the byte offset given.
    Flash(u32),
    /// RAM, at the byte offset given.
    Ram(u32),
}

/// Flash, RAM, and what appears at address 0.
#[derive(Clone, Debug)]
pub struct Memory {
    /// The main RAM.
    pub ram: Ram,
    /// The code flash.
    pub flash: Flash,
    zero_is_ram: bool,
    /// Counts what makes predecoded code stale: flash programmed, flash timing or the alias at 0 changed.
    generation: u32,
}

/// RAM as it was, for going back to.
#[derive(Clone, Debug)]
pub struct MemorySnapshot {
    ram: Vec<u8>,
    flash: Flash,
    zero_is_ram: bool,
}

impl Ram {
    /// Where it starts.
    pub fn base(&self) -> Address {
        Address::new(self.base)
    }

    /// Its contents.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The first address after it.
    pub fn end(&self) -> Address {
        Address::new(self.base + self.bytes.len() as u32)
    }

    /// Whether `address` lies in it.
    pub fn contains(&self, address: Address) -> bool {
        ((address.get().wrapping_sub(self.base)) as usize) < self.bytes.len()
    }

    /// Reads `width` bytes, zero-extended; `None` if they are not all inside RAM.
    #[inline(always)]
    pub fn read(&self, address: u32, width: Width) -> Option<u32> {
        let offset = address.wrapping_sub(self.base) as usize;
        read_bytes(&self.bytes, offset, width)
    }

    /// The `count` words from the aligned `address` up; `None` if they are not all inside RAM.
    #[inline(always)]
    pub fn words(&self, address: u32, count: u32) -> Option<impl Iterator<Item = u32> + '_> {
        let offset = address.wrapping_sub(self.base) as usize;
        let bytes = self.bytes.get(offset..offset.checked_add(4 * count as usize)?)?;
        Some(bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)))
    }

    /// The same, to be stored; their pages are marked.
    #[inline(always)]
    pub fn words_mut(&mut self, address: u32, count: u32) -> Option<&mut [[u8; 4]]> {
        let bytes = self.bytes_mut(address.wrapping_sub(self.base) as usize, 4 * count as usize)?;
        Some(bytes.as_chunks_mut::<4>().0)
    }

    /// The `count` bytes from the byte offset `offset` up, to be stored; their pages are marked.
    #[inline(always)]
    fn bytes_mut(&mut self, offset: usize, count: usize) -> Option<&mut [u8]> {
        let end = offset.checked_add(count)?;
        if count == 0 || end > self.bytes.len() {
            return None;
        }
        for page in offset >> PAGE_SHIFT..=(end - 1) >> PAGE_SHIFT {
            if self.pages[page] != DIRTY {
                self.touch(page);
            }
        }
        Some(&mut self.bytes[offset..end])
    }

    /// Stores `value`, marking its page; `false` if it is not all inside RAM.
    #[inline(always)]
    pub fn write(&mut self, address: u32, width: Width, value: u32) -> bool {
        let offset = address.wrapping_sub(self.base) as usize;
        let size = width.bytes() as usize;
        let Some(place) = self.bytes.get_mut(offset..offset.wrapping_add(size)) else { return false };
        place.copy_from_slice(&value.to_le_bytes()[..size]);
        let page = offset >> PAGE_SHIFT;
        if self.pages[page] != DIRTY {
            self.touch(page);
        }
        // An unaligned store may end in the next page.
        let last = (offset + size - 1) >> PAGE_SHIFT;
        if last != page && self.pages[last] != DIRTY {
            self.touch(last);
        }
        true
    }

    #[cold]
    fn touch(&mut self, page: usize) {
        self.code_changed |= self.pages[page] & CODE != 0;
        self.pages[page] = DIRTY;
    }
}

impl Flash {
    /// Where it starts.
    pub fn base(&self) -> Address {
        Address::new(self.base)
    }

    /// Its contents.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The little-endian word at the byte offset `offset`; zero beyond the end. Takes no time by itself.
    #[inline(always)]
    pub fn word(&self, offset: u32) -> u32 {
        read_bytes(&self.bytes, offset as usize, Width::Word).unwrap_or(0)
    }

    /// The interface that charges for reading it.
    pub fn interface(&self) -> &FlashInterface {
        &self.interface
    }

    /// The interface, for a core that fetches.
    #[inline(always)]
    pub fn interface_mut(&mut self) -> &mut FlashInterface {
        &mut self.interface
    }
}

impl Memory {
    /// Flash filled with `flash` from `flash_base` on (also visible at address 0), and zeroed RAM.
    pub fn new(flash_base: Address, flash: Vec<u8>, ram_base: Address, ram_bytes: usize) -> Self {
        Self {
            ram: Ram {
                base: ram_base.get(),
                bytes: vec![0; ram_bytes],
                pages: vec![0; ram_bytes.div_ceil(PAGE_BYTES)],
                code_changed: false,
            },
            flash: Flash {
                base: flash_base.get(),
                bytes: Arc::new(flash),
                interface: FlashInterface::new(FlashTiming::IDEAL),
            },
            zero_is_ram: false,
            generation: 0,
        }
    }

    /// Reads `width` bytes; `None` where there is no memory. Takes no time by itself.
    #[inline(always)]
    pub fn read(&self, address: u32, width: Width) -> Option<u32> {
        if let Some(value) = self.ram.read(address, width) {
            return Some(value);
        }
        match self.region(address)? {
            RegionKind::Flash(offset) => read_bytes(&self.flash.bytes, offset as usize, width),
            RegionKind::Ram(offset) => read_bytes(&self.ram.bytes, offset as usize, width),
        }
    }

    /// Stores into RAM; `false` where there is none (flash included).
    #[inline(always)]
    pub fn write(&mut self, address: u32, width: Width, value: u32) -> bool {
        if self.ram.write(address, width, value) {
            return true;
        }
        match self.region(address) {
            Some(RegionKind::Ram(offset)) => self.ram.write(self.ram.base + offset, width, value),
            _ => false,
        }
    }

    /// Which memory holds `address`, and where in it.
    #[inline]
    pub fn region(&self, address: u32) -> Option<RegionKind> {
        let flash = address.wrapping_sub(self.flash.base);
        if (flash as usize) < self.flash.bytes.len() {
            return Some(RegionKind::Flash(flash));
        }
        let ram = address.wrapping_sub(self.ram.base);
        if (ram as usize) < self.ram.bytes.len() {
            return Some(RegionKind::Ram(ram));
        }
        // What boots appears at address 0.
        if self.zero_is_ram {
            ((address as usize) < self.ram.bytes.len()).then_some(RegionKind::Ram(address))
        } else {
            ((address as usize) < self.flash.bytes.len()).then_some(RegionKind::Flash(address))
        }
    }

    /// Lets RAM (`true`) or flash (`false`) appear at address 0.
    pub fn map_ram_at_zero(&mut self, ram: bool) {
        if self.zero_is_ram != ram {
            self.zero_is_ram = ram;
            self.generation += 1;
        }
    }

    /// Sets up the flash interface; a change empties its buffers.
    pub fn set_flash_timing(&mut self, timing: FlashTiming) {
        if self.flash.interface.timing() != timing {
            self.flash.interface = FlashInterface::new(timing);
            self.generation += 1;
        }
    }

    /// Programs flash at the byte offset `offset`: bits can only be cleared, as in the cells. Bytes outside are ignored.
    pub fn program_flash(&mut self, offset: usize, data: &[u8]) {
        self.change_flash(offset, data, |cell, bits| *cell &= bits);
    }

    /// Erases `len` bytes of flash at the byte offset `offset` to 0xFF. Bytes outside are ignored.
    pub fn erase_flash(&mut self, offset: usize, len: usize) {
        self.change_flash(offset, &vec![0xFF; len.min(self.flash.bytes.len())], |cell, bits| *cell = bits);
    }

    fn change_flash(&mut self, offset: usize, data: &[u8], change: impl Fn(&mut u8, u8)) {
        let cells = Arc::make_mut(&mut self.flash.bytes);
        for (cell, bits) in cells.iter_mut().skip(offset).zip(data) {
            change(cell, *bits);
        }
        self.generation += 1;
    }

    /// Remembers that code was predecoded from the RAM offsets `from..to`, so that a store there is noticed.
    pub fn mark_code(&mut self, from: u32, to: u32) {
        let first = from >> PAGE_SHIFT;
        let last = to.saturating_sub(1) >> PAGE_SHIFT;
        for page in first..=last {
            if let Some(state) = self.ram.pages.get_mut(page as usize) {
                *state |= CODE;
            }
        }
    }

    /// Whether code in RAM was overwritten since the last call.
    #[inline(always)]
    pub fn take_code_changed(&mut self) -> bool {
        std::mem::take(&mut self.ram.code_changed)
    }

    /// Whether code in RAM was overwritten and nobody has taken note yet.
    #[inline(always)]
    pub fn code_changed(&self) -> bool {
        self.ram.code_changed
    }

    /// Grows whenever predecoded flash code became stale.
    #[inline(always)]
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Remembers RAM, flash and the interface's state; pages written from now on are restored by [`Self::restore`].
    pub fn snapshot(&mut self) -> MemorySnapshot {
        for state in &mut self.ram.pages {
            *state &= CODE;
        }
        MemorySnapshot { ram: self.ram.bytes.clone(), flash: self.flash.clone(), zero_is_ram: self.zero_is_ram }
    }

    /// Goes back to `snapshot`, which must be this memory's latest: copies only the pages written since.
    pub fn restore(&mut self, snapshot: &MemorySnapshot) {
        for (page, state) in self.ram.pages.iter_mut().enumerate() {
            if *state & DIRTY != 0 {
                let from = page * PAGE_BYTES;
                let to = (from + PAGE_BYTES).min(self.ram.bytes.len());
                self.ram.bytes[from..to].copy_from_slice(&snapshot.ram[from..to]);
                self.ram.code_changed |= *state & CODE != 0;
                *state = 0;
            }
        }
        if !Arc::ptr_eq(&self.flash.bytes, &snapshot.flash.bytes)
            || self.flash.interface.timing() != snapshot.flash.interface.timing()
            || self.zero_is_ram != snapshot.zero_is_ram
        {
            self.generation += 1;
        }
        self.flash = snapshot.flash.clone();
        self.zero_is_ram = snapshot.zero_is_ram;
    }

    /// Takes over the contents, timing and interface state of `from`, memory of the same sizes. What was predecoded from
    /// this memory stays known to be so: a page of code that changes, or flash that does, is noticed as ever.
    pub fn restore_from(&mut self, from: &Self) {
        let ram = &mut self.ram;
        let pages = ram.bytes.chunks_mut(PAGE_BYTES).zip(from.ram.bytes.chunks(PAGE_BYTES));
        for ((ours, theirs), state) in pages.zip(&mut ram.pages) {
            // Most pages are alike, and to compare costs no more than to copy.
            if ours != theirs {
                ours.copy_from_slice(theirs);
                ram.code_changed |= *state & CODE != 0;
                *state = DIRTY;
            }
        }
        let same_bytes = Arc::ptr_eq(&self.flash.bytes, &from.flash.bytes);
        if !same_bytes {
            self.flash.bytes = Arc::clone(&from.flash.bytes);
        }
        if !same_bytes
            || self.flash.interface.timing() != from.flash.interface.timing()
            || self.zero_is_ram != from.zero_is_ram
        {
            self.generation += 1;
        }
        self.flash.interface.clone_from(&from.flash.interface);
        self.zero_is_ram = from.zero_is_ram;
    }

    /// Fills memory as a loader or a debug probe does: flash and RAM alike, no time; what was predecoded from there is
    /// stale. `false` where there is none, and then nothing is done.
    pub fn load(&mut self, address: Address, data: &[u8]) -> bool {
        if data.is_empty() {
            return true;
        }
        let Some(region) = self.region(address.get()) else { return false };
        match region {
            RegionKind::Flash(offset) => {
                let range = offset as usize..offset as usize + data.len();
                if range.end > self.flash.bytes.len() {
                    return false;
                }
                Arc::make_mut(&mut self.flash.bytes)[range].copy_from_slice(data);
                self.generation += 1;
            }
            RegionKind::Ram(offset) => {
                let Some(place) = self.ram.bytes_mut(offset as usize, data.len()) else { return false };
                place.copy_from_slice(data);
            }
        }
        true
    }
}

#[inline(always)]
fn read_bytes(bytes: &[u8], offset: usize, width: Width) -> Option<u32> {
    let end = offset.wrapping_add(width.bytes() as usize);
    let place = bytes.get(offset..end)?;
    Some(match width {
        Width::Byte => u32::from(place[0]),
        Width::Half => u32::from(u16::from_le_bytes([place[0], place[1]])),
        Width::Word => u32::from_le_bytes([place[0], place[1], place[2], place[3]]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Memory {
        Memory::new(Address::new(0x0800_0000), vec![0x11; 1024], Address::new(0x2000_0000), 2048)
    }

    #[test]
    fn flash_shows_at_its_base_and_at_zero_and_takes_no_store() {
        let mut memory = memory();
        assert_eq!(memory.read(0x0800_0000, Width::Word), Some(0x1111_1111));
        assert_eq!(memory.read(0x0000_03FC, Width::Word), Some(0x1111_1111));
        assert_eq!(memory.read(0x0000_03FE, Width::Word), None, "half outside");
        assert!(!memory.write(0x0800_0000, Width::Word, 0));
        memory.map_ram_at_zero(true);
        assert!(memory.write(4, Width::Word, 7));
        assert_eq!(memory.read(0x2000_0004, Width::Word), Some(7));
    }

    #[test]
    fn no_address_wraps_or_panics() {
        let mut memory = memory();
        for address in [0u32, 1, 0x2000_07FD, 0x2000_07FF, 0x1FFF_FFFF, 0x1FFF_FFFE, u32::MAX, u32::MAX - 2] {
            for width in [Width::Byte, Width::Half, Width::Word] {
                memory.read(address, width);
                memory.write(address, width, 0);
            }
        }
    }

    #[test]
    fn restore_brings_back_exactly_what_was_written_since() {
        let mut memory = memory();
        memory.write(0x2000_0000, Width::Word, 1);
        let snapshot = memory.snapshot();
        let before = memory.ram.bytes().to_vec();
        memory.write(0x2000_01FE, Width::Word, 0xAABB_CCDD);
        memory.write(0x2000_0000, Width::Byte, 9);
        memory.restore(&snapshot);
        assert_eq!(memory.ram.bytes(), before);
    }

    #[test]
    fn what_is_restored_from_another_is_the_other_and_stale_code_is_noticed() {
        let mut ours = memory();
        ours.write(0x2000_0000, Width::Word, 1);
        let snapshot = ours.snapshot();
        let mut theirs = ours.clone();
        theirs.write(0x2000_0204, Width::Word, 3);
        ours.mark_code(0x200, 0x210);
        ours.write(0x2000_07FC, Width::Word, 2);
        let generation = ours.generation();
        ours.restore_from(&theirs);
        assert_eq!(ours.ram.bytes(), theirs.ram.bytes());
        assert!(ours.take_code_changed(), "the other has other code there");
        assert_eq!(ours.generation(), generation, "flash is the same");
        // The next is alike: nothing to forget.
        ours.mark_code(0x200, 0x210);
        ours.restore_from(&theirs);
        assert!(!ours.take_code_changed());
        theirs.set_flash_timing(FlashTiming { wait_states: 3, ..FlashTiming::IDEAL });
        ours.restore_from(&theirs);
        assert_eq!(ours.flash.interface().timing(), theirs.flash.interface().timing());
        assert!(ours.generation() > generation, "blocks carry the time that flash takes");
        let generation = ours.generation();
        ours.program_flash(0, &[0]);
        ours.restore_from(&theirs);
        assert_eq!(ours.flash.bytes(), theirs.flash.bytes());
        assert!(ours.generation() > generation + 1, "flash was programmed, and is no longer");
        // An older snapshot is still good: what came from elsewhere counts as written.
        ours.restore(&snapshot);
        assert_eq!(ours.ram.bytes()[..4], [1, 0, 0, 0]);
        assert!(ours.ram.bytes()[4..].iter().all(|byte| *byte == 0));
    }

    #[test]
    fn what_a_probe_loads_is_noticed_like_a_store() {
        let mut memory = memory();
        let snapshot = memory.snapshot();
        memory.mark_code(0x200, 0x210);
        assert!(memory.load(Address::new(0x2000_0204), &[1, 2]));
        assert!(memory.take_code_changed());
        let generation = memory.generation();
        assert!(memory.load(Address::new(0x0800_0010), &[3]));
        assert!(memory.generation() > generation);
        assert!(!memory.load(Address::new(0x0800_03FF), &[4, 4]) && !memory.load(Address::new(0x2000_07FF), &[4, 4]));
        assert!(memory.load(Address::new(0x0800_0000), &[]) && memory.load(Address::new(0x2000_0000), &[]));
        memory.restore(&snapshot);
        assert_eq!(memory.read(0x2000_0204, Width::Half), Some(0));
    }

    #[test]
    fn a_store_into_predecoded_code_is_noticed_once() {
        let mut memory = memory();
        memory.mark_code(0x1FE, 0x202);
        memory.write(0x2000_0600, Width::Word, 1);
        assert!(!memory.take_code_changed());
        memory.write(0x2000_0200, Width::Word, 1);
        assert!(memory.take_code_changed());
        assert!(!memory.take_code_changed());
    }

    #[test]
    fn programming_only_clears_bits_and_makes_code_stale() {
        let mut memory = memory();
        let before = memory.generation();
        memory.program_flash(0, &[0x01]);
        memory.program_flash(1023, &[0x10, 0x10]);
        assert_eq!(memory.read(0x0800_0000, Width::Byte), Some(0x01));
        memory.erase_flash(0, 8);
        assert_eq!(memory.read(0x0800_0000, Width::Byte), Some(0xFF));
        assert!(memory.generation() > before);
    }
}
