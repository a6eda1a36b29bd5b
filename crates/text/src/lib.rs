//! Text from images and guests, made safe to print, and cut or broken to fit.

#![forbid(unsafe_code)]

pub mod nearest;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// `text` with each control character shown as an escape: names in an ELF and output of a guest must not move the
/// cursor or set colours. The renderers do this by themselves.
pub fn visible(text: &str) -> String {
    if !text.chars().any(hidden) {
        return text.to_owned();
    }
    text.chars().flat_map(|c| if hidden(c) { c.escape_default().collect::<Vec<_>>() } else { vec![c] }).collect()
}

/// A space at which no line breaks; renderers show it as any other.
pub const TIE: &str = "\u{A0}";

/// Control characters, and the marks that turn the direction of writing.
fn hidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Returns the columns that `text` takes on a terminal.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Shortens `text` to `most` columns by leaving out its middle, for which `…` stands.
pub fn shortened(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let end = most.saturating_sub(1) / 2;
    let mut room = most.saturating_sub(1) - end;
    let fits = |room: &mut usize, c: char| {
        let left = room.checked_sub(c.width().unwrap_or(0));
        left.inspect(|left| *room = *left).is_some()
    };
    let first: String = text.chars().take_while(|c| fits(&mut room, *c)).collect();
    let mut room = end;
    let last: Vec<char> = text.chars().rev().take_while(|c| fits(&mut room, *c)).collect();
    first + "…" + &last.iter().rev().collect::<String>()
}

/// Breaks `text` at spaces into lines of at most `width` columns (longer words stay whole), all but the first
/// indented by two.
pub fn wrap(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split(' ') {
        let length = self::width(word);
        if column > 0 && column + 1 + length > width {
            out.push_str("\n  ");
            column = 2;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminals_controls() {
        assert_eq!(visible("plain ✓"), "plain ✓");
        assert_eq!(visible("a\x1b[31mb\r\n"), "a\\u{1b}[31mb\\r\\n");
        assert_eq!(visible("\u{202E}x"), "\\u{202e}x");
    }

    #[test]
    fn lines_break_at_spaces() {
        assert_eq!(wrap("one two three", 8), "one two\n  three");
        assert_eq!(wrap("unbreakable", 4), "unbreakable");
        assert_eq!(wrap("", 4), "");
    }

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shortened("abcdefgh", 8), "abcdefgh");
        assert_eq!(shortened("abcdefghi", 8), "abcd…ghi");
        assert_eq!(shortened("日本語日本語", 8), "日本…語", "two columns a letter");
        assert_eq!(shortened("abc", 1), "…");
        assert_eq!(shortened("abc", 0), "…");
    }
}
