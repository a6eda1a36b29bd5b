//! Results in a few lines.

use cyclescope_report::Table;

use crate::conditions::Conditions;

/// An experiment in a few lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Digest {
    /// The figures, ready to print; the head says what they are.
    pub table: Table,
    /// One sentence computed from the records, for readers who do not see the table.
    pub conclusion: String,
}

/// Returns the chips' short names with the name and the clock that each stands for.
pub(crate) fn chips<'c>(all: impl IntoIterator<Item = &'c Conditions<'c>>) -> String {
    let named = |of: &Conditions<'_>| match short(of.chip) {
        short if short == of.chip => format!("{} at {}", of.chip, of.clock),
        short => format!("{short} = {} at {}", of.chip, of.clock),
    };
    all.into_iter().map(named).collect::<Vec<_>>().join(", ")
}

/// Returns `figures`, each with its contender, from the least to the greatest.
pub(crate) fn ranked<'c>(figures: impl IntoIterator<Item = (f64, &'c str)>) -> Vec<(f64, &'c str)> {
    let mut ranked: Vec<(f64, &str)> = figures.into_iter().collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    ranked
}

/// Returns the contenders of the least and the greatest of the `figures` in cycles that were measured under `conditions`.
pub(crate) fn range<'c>(
    conditions: &Conditions<'_>,
    figures: impl IntoIterator<Item = (f64, &'c str)>,
) -> Option<String> {
    let ranked = ranked(figures);
    let ((least, first), (most, last)) = (ranked.first()?, ranked.last()?);
    let place = format!("cycles on {} at {}", conditions.chip, conditions.clock);
    Some(match format!("{least:.0}") {
        // Names beside one figure would say that others have another.
        least if least == format!("{most:.0}") && first != last => format!("{least} {place}"),
        least if first == last => format!("{least} ({first}) {place}"),
        least => format!("{least} ({first}) to {most:.0} ({last}) {place}"),
    })
}

/// Returns the optimisation level in words.
pub(crate) fn level(opt: &str) -> String {
    if opt == "3" { "for speed (3)".to_owned() } else { format!("at {opt}") }
}

/// The part of a chip's name by which one knows it among the others: `stm32c031c6` is `c031`, `atmega328p` `328p`.
pub fn short(chip: &str) -> String {
    let stm32 = chip.strip_prefix("stm32").filter(|rest| rest.len() > 4 && rest.is_ascii());
    let known = stm32.map(|rest| &rest[..4]).or_else(|| chip.strip_prefix("atmega"));
    known.unwrap_or(chip).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_still_apart() {
        let names: Vec<String> = cyclescope_chips::Part::all().iter().map(|part| short(&part.name)).collect();
        assert!(names.contains(&"c031".to_owned()));
        assert_eq!((short("atmega32u4"), short("stm32ö")), ("32u4".to_owned(), "stm32ö".to_owned()));
        // Two packages of one die differ in what is cut off, and no experiment has images for both.
        let apart: std::collections::BTreeSet<&String> = names.iter().collect();
        assert!(apart.len() + 1 >= names.len(), "{names:?}");
    }
}
