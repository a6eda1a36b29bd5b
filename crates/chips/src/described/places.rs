//! The places of memories and blocks in a described system: sizes and overlaps.

use cyclescope_machine::units::{Address, Bytes};

use crate::part::Region;

/// The most bytes of memory that a described system may have: no file makes the host allocate more.
const MOST_MEMORY: u64 = 1 << 30;

/// The most bytes of one of them.
const LARGEST: u64 = 512 << 20;

/// The most places of a described system: memories, devices and what is absent.
pub(super) const MOST_PLACES: usize = 256;

/// A memory, device or absent range, as a file describes it.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub name: String,
    pub base: u64,
    pub bytes: u64,
    /// The line that says so.
    pub line: usize,
    /// True if the host keeps its contents.
    pub memory: bool,
}

impl Place {
    fn end(&self) -> u64 {
        self.base.saturating_add(self.bytes)
    }

    /// As a region, once [`check`] has let it pass.
    pub(super) fn region(&self) -> Region {
        Region { base: Address::new(self.base as u32), bytes: Bytes::new(self.bytes) }
    }
}

/// The error in a place: its line, the key, and the reason.
pub(super) type Wrong = (usize, &'static str, String);

/// Checks the sizes and alignment of `places`, and that none overlap.
pub(super) fn check(places: &[Place]) -> Result<(), Wrong> {
    let mut memory = 0u64;
    for place in places {
        let Place { name, base, bytes, line, .. } = place;
        if *bytes == 0 || bytes % 4 != 0 || base % 4 != 0 {
            return Err((*line, "bytes", format!("of `{name}` must be whole words, and its base a word's")));
        }
        if place.end() > 1 << 32 {
            return Err((*line, "bytes", format!("of `{name}` go beyond the addresses of 32 bits")));
        }
        if place.memory && *bytes > LARGEST {
            return Err((*line, "bytes", format!("of the memory `{name}` are more than {} MiB", LARGEST >> 20)));
        }
        memory += if place.memory { *bytes } else { 0 };
        if memory > MOST_MEMORY {
            return Err((*line, "bytes", format!("of all memories together are more than {} MiB", MOST_MEMORY >> 20)));
        }
    }
    let mut order: Vec<&Place> = places.iter().collect();
    order.sort_by_key(|place| place.base);
    for pair in order.windows(2) {
        if pair[1].base < pair[0].end() {
            let [first, second] = [pair[0], pair[1]];
            let (later, other) = if second.line >= first.line { (second, first) } else { (first, second) };
            let (from, to) = (other.base, other.end() - 1);
            let why = format!("of `{}` is inside `{}` ({from:#x} to {to:#x})", later.name, other.name);
            let why =
                if later.base < from { format!("of `{}` reaches into `{}`", later.name, other.name) } else { why };
            return Err((later.line, "base", why));
        }
    }
    Ok(())
}
