//! The figures in the prose about the experiments: each count of cycles, instructions, bytes or microseconds is bound to the
//! place that it comes from.
//!
//! A comment in the same paragraph names the place. `<!-- 716: run syscall / on ibex / devel-value; command / z -->` has the
//! figure, a command of cyclescope or a file of the repository, words of a table's title, a row's cells, and words of its
//! column; they leave one cell, which must have the figure. In a file that is not Markdown, one text leaves one line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use super::results::cyclescope;

/// The page about the experiments, and the folder of a page an experiment.
const PLACES: [&str; 2] = ["docs/experiments.md", "docs/experiments"];

/// The page that leads to all others.
const README: &str = "README.md";

/// The units that follow the figures that are checked.
const UNITS: [&str; 4] = ["cycles", "instructions", "bytes", "µs"];

/// Words between two figures with one unit.
const BETWEEN: [&str; 5] = ["and", "to", "of", "or", "into"];

/// The beginning of a command.
const COMMAND: &str = "run ";

/// The texts of sources, by command or file.
type Sources = BTreeMap<String, String>;

/// Fails where a figure is not bound, or not in the place that it is bound to. `sources` are commands that have run, with their
/// output; others run here.
///
/// # Errors
/// Names each such figure with its page, or the source that cannot be read.
pub fn check(root: &Path, mut sources: Sources) -> anyhow::Result<()> {
    let mut wrong = Vec::new();
    for page in pages(root)? {
        let text = std::fs::read_to_string(&page).with_context(|| format!("{} cannot be read", page.display()))?;
        for paragraph in text.split("\n\n") {
            let bindings = bindings(paragraph);
            // All figures of the pages about the experiments have a place; of the others, those that say so.
            if bindings.is_empty() && page.ends_with(README) {
                continue;
            }
            for (_, place) in &bindings {
                read(root, &mut sources, place)?;
            }
            let faults = faults(paragraph, &bindings, &sources);
            wrong.extend(faults.into_iter().map(|fault| format!("{}: {fault}", page.display())));
        }
    }
    ensure!(wrong.is_empty(), "figures in the prose without their place:\n{}", wrong.join("\n"));
    println!("the figures in the prose about the experiments are up to date");
    Ok(())
}

/// Returns the pages.
fn pages(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let [page, folder] = PLACES.map(|place| root.join(place));
    let entries = folder.read_dir().with_context(|| format!("{} cannot be read", folder.display()))?;
    let mut pages = vec![root.join(README), page];
    for entry in entries {
        pages.push(entry?.path());
    }
    Ok(pages)
}

/// Returns the bindings of a paragraph: figure and place.
fn bindings(paragraph: &str) -> Vec<(&str, Vec<&str>)> {
    let comments = paragraph.split("<!-- ").skip(1).filter_map(|rest| rest.split_once(" -->"));
    let bound = comments.filter_map(|(comment, _)| comment.split_once(": "));
    bound.map(|(figure, place)| (figure, place.split(" / ").collect())).collect()
}

/// Adds the source of `place` to `sources`.
fn read(root: &Path, sources: &mut Sources, place: &[&str]) -> anyhow::Result<()> {
    let source = place[0];
    if !sources.contains_key(source) {
        let text = if source.starts_with(COMMAND) {
            cyclescope(root, &source.split(' ').chain(["--format", "markdown"]).collect::<Vec<_>>())?
        } else {
            std::fs::read_to_string(root.join(source)).with_context(|| format!("{source} cannot be read"))?
        };
        sources.insert(source.to_owned(), text);
    }
    Ok(())
}

/// Returns what is wrong with the figures of a paragraph.
fn faults(paragraph: &str, bindings: &[(&str, Vec<&str>)], sources: &Sources) -> Vec<String> {
    let figures = counted(paragraph);
    let unbound = figures.iter().filter(|figure| bindings.iter().all(|(bound, _)| bound != *figure));
    let mut faults: Vec<String> = unbound.map(|figure| format!("{figure} has no comment")).collect();
    for (figure, place) in bindings {
        let found = found(&sources[place[0]], place).and_then(|cell| {
            let digits = |word: &str| self::figure(word).replace(['_', ','], "");
            let has = cell.split_whitespace().any(|word| digits(word) == digits(figure));
            ensure!(has, "the place has {cell}");
            ensure!(prose(paragraph).any(|word| self::figure(word) == *figure), "the prose does not have it");
            Ok(())
        });
        faults.extend(found.err().map(|error| format!("{figure}: {}: {error}", place.join(" / "))));
    }
    faults
}

/// The words of a paragraph, comments and tables left out.
fn prose(paragraph: &str) -> impl Iterator<Item = &str> {
    let lines = paragraph.lines().filter(|line| !line.starts_with("<!--") && !line.starts_with('|'));
    lines.flat_map(str::split_whitespace)
}

/// Returns the figures before units in a paragraph.
fn counted(paragraph: &str) -> Vec<&str> {
    let words: Vec<&str> = prose(paragraph).collect();
    let is_figure = |at: usize| {
        let word = words[at].trim_start_matches(|letter: char| !letter.is_alphanumeric());
        word.starts_with(|letter: char| letter.is_ascii_digit())
    };
    let mut found = Vec::new();
    for (unit, word) in words.iter().enumerate().skip(1) {
        let mut at = unit - 1;
        if UNITS.contains(&word.trim_matches(|letter: char| !letter.is_alphabetic())) && is_figure(at) {
            found.push(figure(words[at]));
            while at >= 2 && BETWEEN.contains(&words[at - 1]) && is_figure(at - 2) {
                at -= 2;
                found.push(figure(words[at]));
            }
        }
    }
    found
}

/// Returns the only cell of `text` at `place`, or its only line.
fn found(text: &str, place: &[&str]) -> anyhow::Result<String> {
    let mut all = match place {
        [_, part] => text.lines().filter(|line| line.contains(part)).map(str::to_owned).collect(),
        [_, title, row, column] => cells(text, title, &row.split("; ").collect::<Vec<_>>(), column),
        _ => bail!("a place is a source with one text, or with title, row and column"),
    };
    all.dedup();
    ensure!(all.len() == 1, "{} such places", all.len());
    Ok(all.concat())
}

/// Returns the cells of tables. An empty cell at the beginning of a row is that of the row before.
fn cells(text: &str, title: &str, row: &[&str], column: &str) -> Vec<String> {
    let (mut is_titled, mut found) = (false, Vec::new());
    let (mut columns, mut above) = (Vec::<&str>::new(), Vec::<&str>::new());
    for line in text.lines() {
        if line.starts_with('#') {
            is_titled = line.contains(title);
        }
        let Some(line) = line.strip_prefix('|').filter(|_| is_titled) else {
            columns.clear();
            continue;
        };
        let mut cells: Vec<&str> = line.trim_end_matches('|').split('|').map(str::trim).collect();
        if columns.is_empty() {
            columns.clone_from(&cells);
        }
        for (cell, before) in cells.iter_mut().zip(&above).take_while(|(cell, _)| cell.is_empty()) {
            *cell = *before;
        }
        if row.iter().all(|wanted| cells.contains(wanted)) {
            let is_named = columns.contains(&column);
            let of_column = columns.iter().zip(&cells);
            let of_column =
                of_column.filter(|(name, _)| if is_named { **name == column } else { name.contains(column) });
            found.extend(of_column.map(|(_, cell)| (*cell).to_owned()));
        }
        above = cells;
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
    fn a_figure_has_its_place() {
        let printed = "### Why? a at 1 MHz\n\n| who | opt | yield (cycles) |\n| --- | --- | --- |\n| lilos | s | 1,204.5 76.0 |\n|  | 3 | 9 |\n";
        let sources =
            Sources::from([("run x".to_owned(), printed.to_owned()), ("a.rs".to_owned(), "A = 5_000;\n".to_owned())]);
        let faults = |text: &str| faults(text, &bindings(text), &sources);
        let bound = "It takes 1,204.5 or 9 cycles.\n<!-- 1,204.5: run x / a at / lilos; s / yield -->\n\
                     <!-- 9: run x / a at / lilos; 3 / yield -->";
        assert_eq!(faults(bound), [""; 0]);
        assert_eq!(faults("12 runs, 5,000 µs\n<!-- 5,000: a.rs / A = -->"), [""; 0]);
        assert_eq!(faults("It takes 77 cycles."), ["77 has no comment"]);
        let fault = |place: &str| faults(&format!("9 bytes\n<!-- 9: {place} -->")).concat();
        assert!(fault("run x / a at / lilos; s / yield").ends_with("the place has 1,204.5 76.0"));
        assert!(fault("run x / a at / lilos / yield").ends_with("2 such places"));
        assert!(fault("run x / b at / lilos; 3 / yield").ends_with("0 such places"));
        assert!(faults("none\n<!-- 9: run x / a at / lilos; 3 / yield -->").concat().ends_with("does not have it"));
        assert!(pages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap().len() > 1);
    }
}
