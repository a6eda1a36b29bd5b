//! The figures in the prose about the experiments: each count of cycles, instructions, bytes or microseconds is one that an
//! experiment prints.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

/// The page about the experiments, and the folder of a page an experiment.
const PLACES: [&str; 2] = ["docs/experiments.md", "docs/experiments"];

/// The units that follow the figures that are checked.
const UNITS: [&str; 4] = ["cycles", "instructions", "bytes", "µs"];

/// Figures that come from no experiment: bounds and settings of `button`'s windows, then those of `trace`, `run button
/// --arrivals exhaustive` and `measure`, whose commands stand beside them.
const ELSEWHERE: [&str; 6] = ["900", "100,000", "5,000,000", "372,192", "1,283", "2,795"];

/// Fails where a page names a figure that is not among what the experiments `printed`.
///
/// # Errors
/// Names each such figure with its page and line, or the page that cannot be read.
pub fn check(root: &Path, printed: &str) -> anyhow::Result<()> {
    let mut wrong = Vec::new();
    for page in pages(root)? {
        let text = std::fs::read_to_string(&page).with_context(|| format!("{} cannot be read", page.display()))?;
        wrong.extend(strange(&text, printed).into_iter().map(|figure| format!("{}, {figure}", page.display())));
    }
    ensure!(wrong.is_empty(), "figures that no experiment prints:\n{}", wrong.join("\n"));
    println!("the figures in the prose about the experiments are up to date");
    Ok(())
}

/// Returns the pages; there is one at least.
fn pages(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let [page, folder] = PLACES.map(|place| root.join(place));
    let mut pages: Vec<PathBuf> = page.is_file().then_some(page).into_iter().collect();
    if folder.is_dir() {
        for entry in folder.read_dir()? {
            pages.push(entry?.path());
        }
    }
    ensure!(!pages.is_empty(), "there is neither {} nor {}", PLACES[0], PLACES[1]);
    Ok(pages)
}

/// Returns the figures of `text` that are not in `printed`, each with its line.
fn strange(text: &str, printed: &str) -> Vec<String> {
    let known: BTreeSet<&str> = printed.split_whitespace().map(figure).chain(ELSEWHERE).collect();
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        for pair in words.windows(2) {
            let counted = UNITS.contains(&pair[1].trim_matches(|letter: char| !letter.is_alphabetic()));
            let figure = figure(pair[0]);
            if counted && figure.starts_with(|letter: char| letter.is_ascii_digit()) && !known.contains(figure) {
                found.push(format!("line {}: {figure} {}", index + 1, pair[1]));
            }
        }
    }
    found
}

/// Returns a word without what stands around a figure.
fn figure(word: &str) -> &str {
    word.trim_matches(|letter: char| !letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_printed_or_named_with_its_line() {
        let printed = "| lilos | 1,204.5 | (76) |";
        assert_eq!(strange("It takes 76 cycles,\nin all 1,204.5 µs of 12 runs.", printed), Vec::<String>::new());
        assert!(!pages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap().is_empty());
        assert_eq!(strange("a\nnow 77 cycles.", printed), ["line 2: 77 cycles."]);
    }
}
