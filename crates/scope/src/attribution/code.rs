//! Counters for each instruction, by address.

use std::collections::HashMap;

use cyclescope_image::{Image, SectionKind};
use cyclescope_machine::units::Address;

use super::class::Kind;
use super::runs::Runs;

/// A function by its index.
pub(super) type FunctionId = u32;

/// Marks a slot without a known function.
const NOT_LOOKED_AT: FunctionId = FunctionId::MAX;

/// Sections that are longer than this in sum are counted in a map instead of a table. The limit bounds memory for
/// hostile images.
const LONGEST_TABLE: u32 = 16 << 20;

/// The most addresses outside all tables that are told apart. A program that writes code to RAM can execute each of
/// megabytes once.
const MOST_ELSEWHERE: usize = 1 << 18;

/// The class, function and counts of one instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) function: FunctionId,
    pub(super) kind: Kind,
    pub(super) instructions: u64,
    pub(super) cycles: u64,
}

impl Slot {
    const EMPTY: Self = Self { function: NOT_LOOKED_AT, kind: Kind::UNKNOWN, instructions: 0, cycles: 0 };
}

/// An address range whose slots are contiguous, with one slot for each two bytes.
#[derive(Clone, Copy, Debug)]
struct Region {
    base: u32,
    bytes: u32,
    first: usize,
}

/// The slots of all instructions.
#[derive(Debug)]
pub(super) struct Code {
    regions: Vec<Region>,
    /// The region of the latest address.
    current: Region,
    slots: Vec<Slot>,
    /// Slots of addresses outside all regions.
    elsewhere: HashMap<u32, usize>,
    /// The one slot of all addresses beyond [`MOST_ELSEWHERE`].
    beyond: Option<usize>,
}

impl Code {
    pub(super) fn new(image: &Image) -> Self {
        let (mut regions, mut slots) = (Vec::new(), Vec::new());
        let mut room = LONGEST_TABLE;
        for section in image.sections().iter().filter(|section| section.kind == SectionKind::Text) {
            let bytes = u32::try_from(section.size.get()).unwrap_or(u32::MAX);
            if bytes <= room {
                room -= bytes;
                regions.push(Region { base: section.address.get() & !1, bytes, first: slots.len() });
                slots.resize(slots.len() + (bytes as usize).div_ceil(2), Slot::EMPTY);
            }
        }
        let current = regions.first().copied().unwrap_or(Region { base: 0, bytes: 0, first: 0 });
        Self { regions, current, slots, elsewhere: HashMap::new(), beyond: None }
    }

    /// Returns the index of the slot of `pc`.
    #[inline(always)]
    pub(super) fn find(&mut self, pc: u32) -> usize {
        let offset = pc.wrapping_sub(self.current.base);
        if offset < self.current.bytes { self.current.first + (offset / 2) as usize } else { self.find_elsewhere(pc) }
    }

    #[cold]
    fn find_elsewhere(&mut self, pc: u32) -> usize {
        if let Some(region) = self.regions.iter().find(|region| pc.wrapping_sub(region.base) < region.bytes) {
            self.current = *region;
            return region.first + (pc.wrapping_sub(region.base) / 2) as usize;
        }
        let full = self.elsewhere.len() >= MOST_ELSEWHERE;
        if let Some(slot) = self.elsewhere.get(&pc).copied().or(self.beyond.filter(|_| full)) {
            return slot;
        }
        let slot = self.slots.len();
        self.slots.push(Slot::EMPTY);
        if full {
            self.beyond = Some(slot);
        } else {
            self.elsewhere.insert(pc, slot);
        }
        slot
    }

    #[inline(always)]
    pub(super) fn slot(&mut self, index: usize) -> &mut Slot {
        &mut self.slots[index]
    }

    /// Tells if the slot is that of all addresses that are not told apart.
    pub(super) fn is_beyond(&self, index: usize) -> bool {
        self.beyond == Some(index)
    }

    /// Tells if [`Code::look`] was called for the slot.
    #[inline(always)]
    pub(super) fn is_known(slot: &Slot) -> bool {
        slot.function != NOT_LOOKED_AT
    }

    /// Sets the function and class of the slot at `index`.
    pub(super) fn look(&mut self, index: usize, pc: u32, image: &Image, function: FunctionId) {
        let shared = self.is_beyond(index);
        let slot = &mut self.slots[index];
        slot.function = function;
        let bytes = bytes_at(image, pc).filter(|_| !shared);
        slot.kind = bytes.map_or(Kind::UNKNOWN, |bytes| Kind::of(image.architecture(), bytes));
    }

    /// Returns all slots, to add counts.
    pub(super) fn slots(&mut self) -> &mut [Slot] {
        &mut self.slots
    }

    /// Returns every counted address with its slot, in order, and the slot of the addresses that were not told apart. All
    /// include the counts of `runs`.
    pub(super) fn counted(&self, runs: &Runs) -> (Vec<(Address, Slot)>, Option<Slot>) {
        let mut slots = self.slots.clone();
        runs.add_to(&mut slots);
        let of_region = |region: &Region| {
            let (base, first) = (region.base, region.first);
            (0..region.bytes.div_ceil(2)).map(move |offset| (base + 2 * offset, first + offset as usize))
        };
        let all = self.regions.iter().flat_map(of_region).chain(self.elsewhere.iter().map(|(pc, index)| (*pc, *index)));
        let mut counted: Vec<(Address, Slot)> = all
            .map(|(pc, index)| (Address::new(pc), slots[index]))
            .filter(|(_, slot)| slot.instructions > 0 || slot.cycles > 0)
            .collect();
        counted.sort_by_key(|(pc, _)| *pc);
        (counted, self.beyond.map(|slot| slots[slot]))
    }
}

/// Returns the image's bytes from the virtual address `pc` to the end of its section.
pub(crate) fn bytes_at(image: &Image, pc: u32) -> Option<&[u8]> {
    let section = image.sections().iter().find(|section| {
        matches!(section.kind, SectionKind::Text | SectionKind::Data) && section.contains(Address::new(pc))
    })?;
    image.section_bytes(section).get((pc - section.address.get()) as usize..)
}
