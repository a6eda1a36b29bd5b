//! Finds string data as `strings(1)` does.

use cyclescope_machine::units::{Address, Bytes};

use super::pieces;
use crate::{Image, SectionKind, SymbolKind};

/// A sequence of text in the image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringData {
    /// The start address at run time.
    pub address: Address,
    /// The text. Rust literals have no terminator, so adjacent literals form one sequence.
    pub text: String,
}

impl StringData {
    /// Returns the length in bytes, without a terminator.
    pub fn size(&self) -> Bytes {
        Bytes::new(self.text.len() as u64)
    }
}

/// The least length of text.
const SHORTEST: usize = 4;

/// Returns sequences of at least four printable characters (ASCII, tab, newline, carriage return, and UTF-8 beyond
/// ASCII) outside functions, longest first. This is a heuristic: numbers can look like text.
pub fn strings(image: &Image) -> Vec<StringData> {
    let mut found = Vec::new();
    let mut run: Option<(u64, Vec<u8>)> = None;
    for piece in pieces(image).iter().filter(|piece| piece.section.has_bytes) {
        let code = piece.section.kind == SectionKind::Text
            && (image.symbols().is_empty() || piece.symbol.is_some_and(|symbol| symbol.kind != SymbolKind::Object));
        let mut at = u64::from(piece.address.get());
        let end = at + piece.size.get();
        if code {
            // A function without a size seems to extend over the constants behind it.
            let unsized_one = piece.symbol.is_some_and(|symbol| symbol.size == Bytes::ZERO);
            let Some(data) = image.data_before(at, end).filter(|_| unsized_one) else {
                flush(&mut run, &mut found);
                continue;
            };
            at = data.get().into();
        }
        let offset = (at - u64::from(piece.section.address.get())) as usize;
        let bytes = image.section_bytes(piece.section);
        let bytes = bytes.get(offset..offset.saturating_add((end - at) as usize)).unwrap_or_default();
        if run.as_ref().is_some_and(|(start, text)| start + text.len() as u64 != at) {
            flush(&mut run, &mut found);
        }
        for (index, &byte) in bytes.iter().enumerate() {
            if matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r' | 0x80..) {
                run.get_or_insert_with(|| (at + index as u64, Vec::new())).1.push(byte);
            } else {
                flush(&mut run, &mut found);
            }
        }
    }
    flush(&mut run, &mut found);
    found.sort_by(|a, b| b.text.len().cmp(&a.text.len()).then(a.address.cmp(&b.address)));
    found
}

/// Ends a sequence of candidate bytes and keeps the valid UTF-8 in it that is long enough.
fn flush(run: &mut Option<(u64, Vec<u8>)>, found: &mut Vec<StringData>) {
    let Some((start, bytes)) = run.take() else { return };
    let mut at = start;
    for chunk in bytes.utf8_chunks() {
        let text = chunk.valid();
        if text.len() >= SHORTEST {
            let address = Address::new(u32::try_from(at).unwrap_or(u32::MAX));
            found.push(StringData { address, text: text.to_owned() });
        }
        at += (text.len() + chunk.invalid().len()) as u64;
    }
}
