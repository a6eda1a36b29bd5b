//! Counters for each instruction, found by its address.

use std::collections::HashMap;

use cyclescope_image::{Image, SectionKind};
use cyclescope_units::Address;

use super::class::Kind;
use super::runs::Runs;

/// A function by its index.
pub(super) type FunctionId = u32;

/// The function of a slot that was not looked at yet.
const NOT_LOOKED_AT: FunctionId = FunctionId::MAX;

/// Sections longer than this together are counted by a map and not by a table: a bound for hostile images.
const LONGEST_TABLE: u32 = 16 << 20;

/// What is known and counted of one instruction.
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

/// Addresses whose slots lie side by side, one for each two bytes.
#[derive(Clone, Copy, Debug)]
struct Region {
    base: u32,
    bytes: u32,
    first: usize,
}

/// A slot for each instruction.
#[derive(Debug)]
pub(super) struct Code {
    regions: Vec<Region>,
    /// The region of the latest address.
    current: Region,
    slots: Vec<Slot>,
    /// The slots of all other addresses.
    elsewhere: HashMap<u32, usize>,
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
        Self { regions, current, slots, elsewhere: HashMap::new() }
    }

    /// The index of the slot of `pc`.
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
        *self.elsewhere.entry(pc).or_insert_with(|| {
            self.slots.push(Slot::EMPTY);
            self.slots.len() - 1
        })
    }

    #[inline(always)]
    pub(super) fn slot(&mut self, index: usize) -> &mut Slot {
        &mut self.slots[index]
    }

    /// Whether [`Code::look`] has been called for the slot.
    #[inline(always)]
    pub(super) fn is_known(slot: &Slot) -> bool {
        slot.function != NOT_LOOKED_AT
    }

    /// Fills in what the slot at `index` is of.
    pub(super) fn look(&mut self, index: usize, pc: u32, image: &Image, function: FunctionId) {
        let slot = &mut self.slots[index];
        slot.function = function;
        slot.kind = bytes_at(image, pc).map_or(Kind::UNKNOWN, |bytes| Kind::of(image.architecture(), bytes));
    }

    /// All slots, to add to.
    pub(super) fn slots(&mut self) -> &mut [Slot] {
        &mut self.slots
    }

    /// Every address that was counted, in order, `runs` included.
    pub(super) fn counted(&self, runs: &Runs) -> Vec<(Address, Slot)> {
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
        counted
    }
}

/// What the image has at the virtual address `pc`, up to the section's end.
pub(crate) fn bytes_at(image: &Image, pc: u32) -> Option<&[u8]> {
    let section = image.sections().iter().find(|section| {
        matches!(section.kind, SectionKind::Text | SectionKind::Data) && section.contains(Address::new(pc))
    })?;
    image.section_bytes(section).get((pc - section.address.get()) as usize..)
}
