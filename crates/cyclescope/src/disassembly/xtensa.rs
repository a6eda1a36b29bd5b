//! Xtensa's instructions as text: their mnemonics, without operands (RC-2010.1, chapter 6).

use cyclescope_xtensa::decode::{is_narrow, row};

use super::text::Text;

/// The instruction that `bytes` begin with.
pub(super) fn text(bytes: &[u8]) -> Text {
    let length = bytes.first().map_or(0, |first| if is_narrow(*first) { 2 } else { 3 });
    let code = bytes.get(..length).filter(|code| !code.is_empty());
    let code = code.map(|code| code.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)));
    let name = code.and_then(row).map_or("(unknown)", |row| row.name);
    Text { text: name.to_lowercase(), length: length.min(bytes.len()), memory: None }
}
