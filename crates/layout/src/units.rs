//! The stretches of an image that can lie elsewhere as they are.
//!
//! A unit is a function with its literals and jump tables, a constant, an input section where a linker's map tells, or what
//! start-up code copies to RAM. Those that something ties together are one: falling through from symbol to symbol, a branch that reaches only near, data
//! that an instruction addresses from its own place.

use std::collections::HashSet;
use std::ops::Range;

use cyclescope_image::{Image, Section};
use cyclescope_machine::Reach;
use cyclescope_machine::units::Address;
use thiserror::Error;

use crate::LinkerMap;
use crate::piece::{self, Piece};

/// A gap between sections from which on the second has an address of its own.
const OWN_ADDRESS: u32 = 64;

/// The largest alignment that a gap before a piece is taken to come from.
const MOST_ALIGNED: u32 = 1024;

/// A stretch of an image that can lie elsewhere as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its first load address.
    pub from: u32,
    /// The first load address behind it.
    pub to: u32,
    /// It moves by multiples of this many bytes.
    pub align: u32,
    /// The names of what it is made of, by address.
    pub names: Vec<String>,
    /// True if it must stay.
    pub fixed: bool,
    /// The number of its section, among those that are loaded, by address.
    pub section: usize,
}

impl Unit {
    /// Its size in bytes.
    pub fn bytes(&self) -> u32 {
        self.to - self.from
    }
}

/// The units of an image, by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Units {
    pub(crate) units: Vec<Unit>,
    /// For each section, its name and whether it has an address of its own.
    pub(crate) sections: Vec<(String, bool)>,
    /// The end of the memory.
    pub(crate) end: u32,
}

/// The reason why an image has no units.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnitsError {
    /// There are no sections.
    #[error(
        "the image has no sections, so that nothing tells which code belongs together; give the linker's ELF, not stripped of them"
    )]
    NoSections,
    /// There are no symbols.
    #[error(
        "the image has no symbols, so that nothing tells where its functions begin; give an ELF with symbols, or the linker's map by --map"
    )]
    NoSymbols,
}

/// Tells what ties an instruction of two halfwords at an address to its place; `None` where that is not known.
pub type Ties<'t> = dyn Fn([u16; 2], u32) -> Option<Reach> + 't;

impl Units {
    /// Finds the units of `image` in `memory`. What lies in `fixed` stays; `ties` tells what ties an instruction to its place.
    ///
    /// # Errors
    /// [`UnitsError`] where neither symbols nor `map` tell where something begins.
    pub fn of(
        image: &Image,
        memory: Range<u32>,
        fixed: &[Range<Address>],
        ties: &Ties<'_>,
        map: Option<&LinkerMap>,
    ) -> Result<Self, UnitsError> {
        let inside = |address: Address| memory.contains(&address.get());
        let mut sections: Vec<&Section> = image
            .sections()
            .iter()
            .filter(|section| section.has_bytes && section.size.get() > 0 && section.load_address.is_some_and(inside))
            .collect();
        sections.sort_by_key(|section| section.load_address);
        if sections.is_empty() {
            return Err(UnitsError::NoSections);
        }
        if map.is_none() && image.symbols().is_empty() {
            return Err(UnitsError::NoSymbols);
        }
        let mut pieces: Vec<(usize, Piece)> = Vec::new();
        for (number, section) in sections.iter().enumerate() {
            let behind = pieces.last().map_or(0, |(_, piece)| piece.to);
            let found = piece::pieces(image, section, map).into_iter().filter(|piece| piece.from >= behind);
            pieces.extend(found.map(|piece| (number, piece)).collect::<Vec<_>>());
        }
        let mut found = found(image, &sections, &pieces, ties);
        if map.is_none() {
            found.tie_those_that_go_on();
        }
        let units = joined(&pieces, &found, fixed);
        let mut end = 0;
        let own_address = |section: &&Section| {
            let from = section.load_address.map_or(0, Address::get);
            let own = from.saturating_sub(end) >= OWN_ADDRESS || end == 0;
            end = from.saturating_add(section.size.get() as u32);
            (section.name.clone(), own)
        };
        Ok(Self { units, sections: sections.iter().map(own_address).collect(), end: memory.end })
    }

    /// The units, by address.
    pub fn all(&self) -> &[Unit] {
        &self.units
    }

    /// Returns the unit that holds the load address `address`.
    pub fn at(&self, address: u32) -> Option<&Unit> {
        let behind = self.units.partition_point(|unit| unit.from <= address);
        self.units[..behind].last().filter(|unit| address < unit.to)
    }
}

/// The findings of a look at the instructions of all pieces.
struct Found {
    /// The number of ties that begin with a piece less those that end with it: they hold between it and the next where the sum up to
    /// there is positive.
    ties: Vec<i64>,
    /// Pieces that have words of data among their instructions.
    literals: Vec<bool>,
    /// Pieces from whose end control may go straight on. A linker is free to put another input section there, so that this ties only
    /// what symbols tell apart.
    go_on: Vec<usize>,
}

impl Found {
    fn tie_those_that_go_on(&mut self) {
        for piece in &self.go_on {
            self.ties[*piece] += 1;
            self.ties[*piece + 1] -= 1;
        }
    }
}

/// Looks at the instructions of `pieces`, of `sections`.
fn found(image: &Image, sections: &[&Section], pieces: &[(usize, Piece)], ties: &Ties<'_>) -> Found {
    let mut found = Found { ties: vec![0; pieces.len() + 1], literals: vec![false; pieces.len()], go_on: Vec::new() };
    let place = |address: u32| {
        let behind = pieces.partition_point(|(_, piece)| piece.from <= address);
        behind.checked_sub(1).filter(|last| address < pieces[*last].1.to)
    };
    for (index, (number, piece)) in pieces.iter().enumerate().filter(|(_, (_, piece))| piece.code) {
        let section = sections[*number];
        let base = section.load_address.map_or(0, Address::get);
        let bytes = image.section_bytes(section);
        let half = |address: u32| {
            let at = (address - base) as usize;
            bytes.get(at..at + 2).and_then(|half| half.try_into().ok()).map(u16::from_le_bytes)
        };
        let mut pc = piece.from;
        let mut goes_on = true;
        while pc < piece.to {
            let Some(first) = half(pc).filter(|_| !image.is_marked_data(Address::new(pc))) else {
                // A word of data; what follows it is not come to straight on.
                (pc, goes_on) = (pc + 2, false);
                continue;
            };
            let Some(reach) = ties([first, half(pc + 2).unwrap_or(0)], pc) else { break };
            if let Some(near) = reach.near {
                found.literals[index] |= reach.literal;
                match place(near) {
                    Some(other) if other != index => {
                        found.ties[index.min(other)] += 1;
                        found.ties[index.max(other)] -= 1;
                    }
                    _ => {}
                }
            }
            // Behind what leaves, a no-operation fills up a word.
            let fills = !goes_on && reach.idle;
            (pc, goes_on) = (pc + reach.bytes, reach.goes_on && !fills);
        }
        if goes_on && index + 1 < pieces.len() {
            found.go_on.push(index);
        }
    }
    found
}

/// Joins `pieces` into units as `found` says. Pieces that lie in `fixed`, and units of two sections, stay.
fn joined(pieces: &[(usize, Piece)], found: &Found, fixed: &[Range<Address>]) -> Vec<Unit> {
    let aligned = alignments(pieces, found);
    let mut units: Vec<Unit> = Vec::new();
    let mut tied = 0;
    for (index, (section, piece)) in pieces.iter().enumerate() {
        let stays = fixed.iter().any(|range| piece.from < range.end.get() && range.start.get() < piece.to);
        let align = aligned[index];
        match units.last_mut().filter(|_| tied > 0) {
            Some(unit) => {
                unit.fixed |= stays || unit.section != *section;
                unit.align = unit.align.max(align);
                unit.to = piece.to;
                unit.names.push(piece.name.clone());
            }
            None => units.push(Unit {
                from: piece.from,
                to: piece.to,
                align,
                names: vec![piece.name.clone()],
                fixed: stays,
                section: *section,
            }),
        }
        tied += found.ties[index];
    }
    units
}

/// Returns by how many bytes each of `pieces` can move. Symbols and the maps of GNU ld do not tell: it is what the gap before a piece
/// comes from, and at least a word where there are literals. Code without literals is aligned to a word, unless some of its file
/// begins between two words; where no map tells files, some of the image.
fn alignments(pieces: &[(usize, Piece)], found: &Found) -> Vec<u32> {
    let is_plain = |index: usize| pieces[index].1.code && pieces[index].1.align.is_none() && !found.literals[index];
    let between_words = (0..pieces.len()).filter(|index| is_plain(*index) && !pieces[*index].1.from.is_multiple_of(4));
    let between_words: HashSet<Option<&str>> = between_words.map(|index| pieces[index].1.file.as_deref()).collect();
    let mut end = None;
    let each = pieces.iter().enumerate().map(|(index, (section, piece))| {
        let before = end.replace((*section, piece.to)).filter(|(before, _)| before == section);
        if let Some(align) = piece.align {
            return align.clamp(1, MOST_ALIGNED);
        }
        let own = 1 << piece.from.trailing_zeros().min(MOST_ALIGNED.trailing_zeros());
        let explains = |align: &u32| before.is_some_and(|(_, end)| end.next_multiple_of(*align) == piece.from);
        let from_gap = match before {
            // The gap before a section comes from all that is in it.
            None => 1,
            Some(_) => (0..=10).map(|bits| 1 << bits).find(explains).unwrap_or(own),
        };
        match (piece.code, is_plain(index)) {
            // In another order the same piece has another gap, or none: so that does not count.
            (_, true) if from_gap <= 4 && between_words.contains(&piece.file.as_deref()) => 2,
            (true, _) => from_gap.max(4),
            (false, _) => from_gap.max(own.min(4)),
        }
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// Functions of these sizes and true alignments, linked in this order behind `from`, each of the file of its alignment.
    fn linked(from: u32, functions: &[(u32, u32)]) -> Vec<(usize, Piece)> {
        let mut end = from;
        let functions = functions.iter().map(|(bytes, align)| {
            let from = end.next_multiple_of(*align);
            end = from + bytes;
            let file = Some(Arc::from(if *align == 2 { "small.o" } else { "fast.o" }));
            (0, Piece { from, to: end, name: bytes.to_string(), code: true, align: None, file })
        });
        functions.collect()
    }

    #[test]
    fn the_order_of_linking_changes_no_alignment_of_code() {
        let functions = [(6, 4), (10, 2), (14, 2), (20, 4), (22, 4), (2, 2), (30, 2), (18, 4)];
        for first in 0..functions.len() {
            for from in [0x0800_0188, 0x0800_018C, 0x0800_0190] {
                let mut order = functions;
                order.rotate_left(first);
                let pieces = linked(from, &order);
                let found =
                    Found { ties: vec![0; pieces.len() + 1], literals: vec![false; pieces.len()], go_on: Vec::new() };
                let known: Vec<u32> = order.iter().map(|(_, align)| *align).collect();
                assert_eq!(alignments(&pieces, &found), known, "{pieces:x?}");
            }
        }
    }
}
