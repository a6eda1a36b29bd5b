//! The command line that repeats one arrival.

/// Options that one arrival does without, each with a value.
const LEFT_OUT: [&str; 6] = ["--arrivals", "--budget", "--seed", "--jobs", "--out", "--format"];

/// Returns the words of `line` as a shell takes them, with `--arrival` and the cycles `at` in the place of what tries many.
pub(super) fn repeated(line: &[String], at: &[u64]) -> String {
    let mut words = vec!["cyclescope".to_owned()];
    let mut rest = line.iter().skip(1);
    while let Some(word) = rest.next() {
        let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
        match LEFT_OUT.contains(&name) {
            true if name == word => drop(rest.next()),
            true => {}
            false => words.push(quoted(word)),
        }
    }
    let at: Vec<String> = at.iter().map(u64::to_string).collect();
    words.extend(["--arrival".to_owned(), at.join(",")]);
    words.join(" ")
}

/// Returns `word` as a shell takes it for one.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tries_many_is_left_out_and_the_rest_stays() {
        let line = [
            "/usr/bin/cyclescope",
            "measure",
            "a b.elf",
            "--arrivals=search",
            "--budget",
            "50",
            "--span",
            "a=x..y",
            "--stimulus",
            "at 1ms..2ms uart 2 \"it's\"",
            "--jobs",
            "2",
            "--format=json",
        ];
        let line = line.map(str::to_owned);
        assert_eq!(
            repeated(&line, &[12, 7]),
            "cyclescope measure 'a b.elf' --span a=x..y --stimulus 'at 1ms..2ms uart 2 \"it'\\''s\"' --arrival 12,7"
        );
    }
}
