//! Text from images and guests, made safe to print.

/// `text` with each control character shown as an escape: names in an ELF and output of a guest must not move the
/// cursor or set colours. The renderers do this by themselves.
pub fn visible(text: &str) -> String {
    if !text.chars().any(hidden) {
        return text.to_owned();
    }
    text.chars().flat_map(|c| if hidden(c) { c.escape_default().collect::<Vec<_>>() } else { vec![c] }).collect()
}

/// Control characters, and the marks that turn the direction of writing.
fn hidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Breaks `text` at spaces into lines of at most `width` characters (longer words stay whole), all but the first
/// indented by two.
pub(crate) fn wrap(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
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
}
