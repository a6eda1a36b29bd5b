//! The pieces of an image between two symbols or input sections, before it is known which of them belong together.

use std::sync::Arc;

use cyclescope_image::{Image, Section, SectionKind, SymbolKind};
use cyclescope_machine::units::Address;

use crate::LinkerMap;

/// The most bytes of zeros or no-operations that pass for padding.
const MOST_PADDING: u32 = 64;

/// A piece of a section: its load addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) name: String,
    /// It begins with an instruction, as its symbol says.
    pub(crate) code: bool,
    /// The alignment that a linker's map gives.
    pub(crate) align: Option<u32>,
    /// The file that it comes from, an archive for all its members, where a map tells.
    pub(crate) file: Option<Arc<str>>,
}

/// Tells whether `section` runs and is read at the address at which it is loaded.
pub(crate) fn is_in_place(section: &Section) -> bool {
    matches!(section.kind, SectionKind::Text | SectionKind::Rodata) && section.load_address == Some(section.address)
}

/// Returns the pieces of `section`, by address. A section that start-up code copies is one.
pub(crate) fn pieces(image: &Image, section: &Section, map: Option<&LinkerMap>) -> Vec<Piece> {
    let Some(from) = section.load_address.map(Address::get) else { return Vec::new() };
    let bytes = image.section_bytes(section);
    let Some(to) = u32::try_from(bytes.len()).ok().and_then(|bytes| from.checked_add(bytes)) else { return Vec::new() };
    if !is_in_place(section) {
        return vec![Piece { from, to, name: section.name.clone(), code: false, align: None, file: None }];
    }
    let code_section = section.kind == SectionKind::Text;
    let starts = match map.map(|map| map.within(&section.name, from, to)) {
        Some(starts) if !starts.is_empty() => starts,
        _ => from_symbols(image, from, to),
    };
    let mut pieces: Vec<Piece> = Vec::new();
    let mut end = from;
    let gap = |from: u32, to: u32| Piece { from, to, name: section.name.clone(), code: false, align: None, file: None };
    for start in starts {
        if start.from < end {
            continue;
        }
        pieces.extend(between(bytes, from, end, start.from).map(|at| gap(at, start.from)));
        end = start.to;
        pieces.push(Piece { code: code_section && start.code, ..start });
    }
    pieces.extend(between(bytes, from, end, to).map(|at| gap(at, to)));
    pieces
}

/// Returns where in the stretch from `end` to `start`, of a section with `bytes` from `base` on, something begins that is no padding.
fn between(bytes: &[u8], base: u32, end: u32, start: u32) -> Option<u32> {
    let stretch = bytes.get((end - base) as usize..(start - base) as usize)?;
    let aligned = end.next_multiple_of(4).min(start);
    let leading = &stretch[..(aligned - end) as usize];
    let at = if is_padding(leading) { aligned } else { end };
    let rest = &stretch[(at - end) as usize..];
    let padding = rest.len() < MOST_PADDING as usize && is_padding(rest);
    (!rest.is_empty() && !padding).then_some(at)
}

/// Tells whether `bytes` are what linkers and assemblers fill gaps with: zeros, no-operations of Arm (NOP, MOV R8, R8) and of RISC-V
/// (C.NOP, NOP), or LLVM's traps.
fn is_padding(bytes: &[u8]) -> bool {
    const FILLS: [&[u8]; 7] =
        [&[0], &[0x00, 0xBF], &[0xC0, 0x46], &[0xAF, 0xF3, 0x00, 0x80], &[0x01, 0x00], &[0x13, 0, 0, 0], &[0xD4]];
    FILLS.iter().any(|fill| bytes.iter().zip(fill.iter().cycle()).all(|(byte, fill)| byte == fill))
}

/// Returns what the symbols from `from` to before `to` name: functions, objects with a size, and labels outside of both.
fn from_symbols(image: &Image, from: u32, to: u32) -> Vec<Piece> {
    let inside = |address: u32| (from..to).contains(&address);
    let known = image.symbols().iter().filter(|symbol| {
        let label = symbol.kind == SymbolKind::Label;
        let is_data = label && image.is_marked_data(symbol.address);
        let counts = !symbol.absolute && !is_data;
        inside(symbol.address.get())
            && counts
            && (label || symbol.kind == SymbolKind::Function || symbol.size.get() > 0)
    });
    let mut starts: Vec<Piece> = Vec::new();
    for symbol in known {
        let start = symbol.address.get();
        let end = u64::from(start) + symbol.size.get();
        let end = u32::try_from(end).unwrap_or(to).min(to);
        let code = symbol.kind != SymbolKind::Object && !image.is_marked_data(symbol.address);
        match starts.last_mut() {
            // Of several names for one place the largest counts.
            Some(last) if last.from == start => {
                if end > last.to {
                    last.to = end;
                    symbol.display_name().clone_into(&mut last.name);
                }
                last.code |= code;
            }
            Some(last) if last.to > start => {}
            _ => starts.push(Piece {
                from: start,
                to: end,
                name: symbol.display_name().to_owned(),
                code,
                align: None,
                file: None,
            }),
        }
    }
    // What has no size reaches to the next.
    let following: Vec<u32> = starts.iter().skip(1).map(|next| next.from).chain([to]).collect();
    for (piece, next) in starts.iter_mut().zip(following) {
        if piece.to == piece.from {
            piece.to = next;
        }
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_told_from_contents() {
        for padding in [&[][..], &[0, 0, 0], &[0, 0xBF, 0, 0xBF], &[0xC0, 0x46], &[1, 0, 1, 0], &[0xD4, 0xD4]] {
            assert!(is_padding(padding), "{padding:x?}");
        }
        assert!(!is_padding(&[0x70, 0x47]));
        // From 2 on: two bytes of padding up to a word, then a constant.
        assert_eq!(between(&[9, 9, 0, 0, 1, 2, 3, 4], 0x100, 0x102, 0x108), Some(0x104));
        assert_eq!(between(&[9, 9, 7, 0, 0, 0, 0, 0], 0x100, 0x102, 0x108), Some(0x102));
        assert_eq!(between(&[9, 9, 0, 0, 0, 0, 0, 0], 0x100, 0x102, 0x108), None);
        assert_eq!(between(&[9, 9], 0x100, 0x102, 0x102), None);
    }
}
