//! Sizes by section, by owner (crate or language), by symbol, and of strings.
//!
//! Each byte of a section in the target's memory counts once, so every breakdown sums to
//! [`Image::totals`](crate::Image::totals). Where symbols overlap, the first one gets the bytes. Bytes without a symbol
//! count under [`NO_SYMBOL`].

mod difference;
mod owner;
mod strings;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;

use cyclescope_machine::units::{Address, Bytes};

use crate::{Image, Section, SectionKind, Symbol, SymbolKind};

pub use difference::{Change, difference};
pub use owner::Owner;
pub use strings::{StringData, strings};

/// The name for bytes without a symbol: literals, literal tables, padding between symbols.
pub const NO_SYMBOL: &str = "(no symbol)";
/// The name for loaded bytes of segments without sections.
pub const NO_SECTION: &str = "(no section)";
/// The name for other loaded bytes outside all sections.
pub const PADDING: &str = "(padding)";

/// Size in flash and RAM. Initialised data counts in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// Loaded bytes.
    pub flash: Bytes,
    /// Statically used RAM.
    pub ram: Bytes,
}

impl Weight {
    fn of(kind: SectionKind, size: u64) -> Self {
        let counted = |counts| Bytes::new(if counts { size } else { 0 });
        Self { flash: counted(kind.in_flash()), ram: counted(kind.in_ram()) }
    }

    fn add(&mut self, other: Self) {
        self.flash = self.flash.saturating_add(other.flash);
        self.ram = self.ram.saturating_add(other.ram);
    }
}

/// One entry of a breakdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The section, owner or symbol.
    pub name: String,
    /// Its size.
    pub weight: Weight,
}

/// A range of one section that belongs to one symbol, or to none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The section that contains it.
    pub section: &'a Section,
    /// The start address at run time.
    pub address: Address,
    /// The length; never 0.
    pub size: Bytes,
    /// The symbol.
    pub symbol: Option<&'a Symbol>,
}

/// Splits the sections in the target's memory into pieces by symbol, by section and ascending address.
pub fn pieces(image: &Image) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let counted = |section: &&Section| section.kind.in_flash() || section.kind.in_ram();
    for section in image.sections().iter().filter(counted) {
        cut(image, section, &mut pieces);
    }
    pieces
}

fn cut<'a>(image: &'a Image, section: &'a Section, pieces: &mut Vec<Piece<'a>>) {
    let start = u64::from(section.address.get());
    let end = start.saturating_add(section.size.get());
    let symbols = image.symbols();
    let from = symbols.partition_point(|symbol| u64::from(symbol.address.get()) < start);
    let inside = symbols[from..].iter().take_while(|symbol| u64::from(symbol.address.get()) < end);
    let mut push = |from: u64, to: u64, symbol: Option<&'a Symbol>| {
        if to > from {
            let address = Address::new(u32::try_from(from).unwrap_or(u32::MAX));
            pieces.push(Piece { section, address, size: Bytes::new(to - from), symbol });
        }
    };
    let mut cursor = start;
    let mut open: Option<&Symbol> = None;
    for symbol in inside {
        let at = u64::from(symbol.address.get());
        if symbol.size == Bytes::ZERO {
            // An assembly function without a size extends to the next symbol.
            if symbol.kind == SymbolKind::Function && at >= cursor {
                push(cursor, at, open);
                (cursor, open) = (at, Some(symbol));
            }
            continue;
        }
        let to = at.saturating_add(symbol.size.get()).min(end);
        if to <= cursor {
            continue;
        }
        push(cursor, at.max(cursor), open.take());
        push(at.max(cursor), to, Some(symbol));
        cursor = to;
    }
    push(cursor, end, open);
}

/// Returns the size of each section in the file's order, and of loaded bytes outside sections.
pub fn by_section(image: &Image) -> Vec<Entry> {
    let counted = |section: &&Section| section.size > Bytes::ZERO && section.kind != SectionKind::Other;
    let mut entries: Vec<Entry> = image
        .sections()
        .iter()
        .filter(counted)
        .map(|section| Entry { name: section.name.clone(), weight: Weight::of(section.kind, section.size.get()) })
        .collect();
    add_unnamed(image, &mut entries);
    entries
}

/// Returns the size of each crate, of C++ and of C, largest first.
pub fn by_owner(image: &Image) -> Vec<Entry> {
    let name = |piece: &Piece<'_>| match piece.symbol {
        Some(symbol) => Owner::of(image, symbol).to_string(),
        None => NO_SYMBOL.to_owned(),
    };
    summed(image, name)
}

/// Returns the size of each symbol by demangled name, largest first. Instances of a generic function count together.
pub fn by_symbol(image: &Image) -> Vec<Entry> {
    summed(image, |piece| piece.symbol.map_or(NO_SYMBOL, Symbol::display_name).to_owned())
}

fn summed(image: &Image, name: impl Fn(&Piece<'_>) -> String) -> Vec<Entry> {
    let mut sums: BTreeMap<String, Weight> = BTreeMap::new();
    for piece in pieces(image) {
        let weight = Weight::of(piece.section.kind, piece.size.get());
        match sums.entry(name(&piece)) {
            Slot::Occupied(mut slot) => slot.get_mut().add(weight),
            Slot::Vacant(slot) => {
                slot.insert(weight);
            }
        }
    }
    let mut entries: Vec<Entry> = sums.into_iter().map(|(name, weight)| Entry { name, weight }).collect();
    add_unnamed(image, &mut entries);
    entries.sort_by(|a, b| {
        let key = |entry: &Entry| (entry.weight.flash, entry.weight.ram);
        key(b).cmp(&key(a)).then_with(|| a.name.cmp(&b.name))
    });
    entries
}

/// Adds the loaded bytes outside all sections.
fn add_unnamed(image: &Image, entries: &mut Vec<Entry>) {
    let totals = image.totals();
    for (name, flash) in [(NO_SECTION, totals.unsectioned), (PADDING, totals.padding)] {
        if flash > Bytes::ZERO {
            entries.push(Entry { name: name.to_owned(), weight: Weight { flash, ram: Bytes::ZERO } });
        }
    }
}
