//! Name patterns with wildcards.

/// A pattern in which `*` matches any characters.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// The literal text before, between and after the wildcards.
    pieces: Vec<String>,
}

impl Pattern {
    pub(crate) fn new(text: &str) -> Self {
        Self { pieces: text.split('*').map(str::to_owned).collect() }
    }

    /// Tells if the pattern matches all of `name`.
    pub(crate) fn fits(&self, name: &str) -> bool {
        let [first, between @ .., last] = self.pieces.as_slice() else {
            return self.pieces.first().is_some_and(|only| only == name);
        };
        let Some(rest) = name.strip_prefix(first.as_str()).and_then(|rest| rest.strip_suffix(last.as_str())) else {
            return false;
        };
        // The first match of each piece leaves the most text for the next pieces.
        let next = |rest: &str, piece: &String| rest.find(piece.as_str()).map(|at| at + piece.len());
        between.iter().try_fold(rest, |rest, piece| next(rest, piece).map(|end| &rest[end..])).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[track_caller]
    fn check(pattern: &str, fits: &[&str], others: &[&str]) {
        let pattern = Pattern::new(pattern);
        for name in fits {
            assert!(pattern.fits(name), "{name}");
        }
        for name in others {
            assert!(!pattern.fits(name), "{name}");
        }
    }

    #[test]
    fn a_star_stands_for_any_characters_and_the_rest_for_itself() {
        check("led_stack", &["led_stack"], &["led_stack2", "a_led_stack", "led_stac"]);
        check("*_stack", &["led_stack", "_stack"], &["stack", "led_stack.0"]);
        check("*TASK_POOL*", &["app::led::{{closure}}::TASK_POOL", "TASK_POOLS"], &["TASK-POOL", ""]);
        check("a*b*b", &["abb", "axbxb", "abbb"], &["ab", "axb", "abx"]);
        check("aa*aa", &["aaaa", "aaxaa"], &["aaa", "aa"]);
        check("*", &["", "anything"], &[]);
        check("**", &["", "anything"], &[]);
        check("", &[""], &["x"]);
        check("\u{3c0}*", &["\u{3c0}r\u{b2}"], &["pi"]);
    }
}
