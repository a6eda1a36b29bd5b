//! Bounds and what broke them: as a table, and as annotations of a pull request.

use std::collections::BTreeSet;

use cyclescope_records::{Breach, SIGNIFICANT, Statistic, Verdict};

use crate::changes::{place, shown, who};
use crate::{Cell, Column, Table, Tone, format};

/// Returns the broken bounds, a row each, or a sentence that none is broken; and those that are undecided.
pub fn verdict(verdict: &Verdict<'_>) -> Table {
    let mut table = Table::default();
    if verdict.breaches.is_empty() {
        table.note("No bound is broken.");
    } else {
        let bounds: BTreeSet<String> = verdict.breaches.iter().map(|breach| breach.bound.to_string()).collect();
        let title = match bounds.first().filter(|_| bounds.len() == 1) {
            Some(bound) => format!("Bound broken: {bound}"),
            None => "Bounds broken".to_owned(),
        };
        table = Table::of(
            title,
            verdict.breaches.iter().map(|breach| (breach, figures(breach))),
            &[
                // The title has a bound that stands alone.
                (Column::text("bound").rank(if bounds.len() == 1 { 4 } else { 0 }), &|(breach, _)| {
                    Cell::toned(breach.bound.to_string(), Tone::Bad)
                }),
                (Column::text(who(verdict.breaches.iter().map(|breach| breach.record))), &|(breach, _)| {
                    Cell::toned(&*breach.record.contender, Tone::Strong)
                }),
                (Column::text("of"), &|(breach, _)| Cell::from(place(breach.record))),
                (Column::text("metric"), &|(_, figures)| Cell::from(&*figures.metric)),
                (Column::text("unit").rank(1), &|(breach, _)| Cell::toned(breach.record.unit.name(), Tone::Faint)),
                (Column::number("old"), &|(_, figures)| Cell::from(&*figures.old)),
                (Column::number("new"), &|(_, figures)| Cell::from(&*figures.new)),
                (Column::number("difference").rank(2), &|(_, figures)| Cell::toned(&*figures.difference, Tone::Bad)),
                (Column::number("%"), &|(_, figures)| Cell::from(&*figures.percent)),
            ],
        );
    }
    if verdict.noise > 0 {
        let s = if verdict.noise == 1 { " is" } else { "s are" };
        table.note(format!(
            "{} noisy figure{s} beyond a bound, but may be so by chance (a probability of {SIGNIFICANT} or more, corrected \
             for all noisy figures compared, or too few samples to tell): not counted.",
            verdict.noise
        ));
    }
    table
}

/// One line a breach, as GitHub's workflow commands have errors; none for none.
pub fn annotations(verdict: &Verdict<'_>) -> String {
    let line = |breach: &Breach<'_>| {
        let Figures { metric, old, new, difference, percent } = figures(breach);
        let record = breach.record;
        let change = match breach.change {
            Some(_) if percent.is_empty() => format!("{old} to {new} {} ({difference})", record.unit),
            Some(_) => format!("{old} to {new} {} ({difference}, {percent} %)", record.unit),
            None => "is no longer there".to_owned(),
        };
        let title = property(&format!("cyclescope: {}", breach.bound));
        let text = format!("{} {} {}: {metric} {change}", record.experiment, record.contender, place(record));
        format!("::error title={title}::{}\n", data(&text))
    };
    verdict.breaches.iter().map(line).collect()
}

/// A breach in words.
struct Figures {
    metric: String,
    old: String,
    new: String,
    difference: String,
    percent: String,
}

fn figures(breach: &Breach<'_>) -> Figures {
    let Some(change) = breach.change else {
        let nothing = String::new;
        let metric = breach.record.metric.clone();
        return Figures {
            metric,
            old: nothing(),
            new: "vanished".to_owned(),
            difference: nothing(),
            percent: nothing(),
        };
    };
    let statistic = match change.statistic {
        Statistic::Value => String::new(),
        statistic => format!(" {}", statistic.name()),
    };
    let difference = change.difference();
    let sign = |value: f64| if value > 0.0 { "+" } else { "" };
    let percent = change.ratio().map(|ratio| 100.0 * (ratio - 1.0));
    Figures {
        metric: format!("{}{statistic}", breach.record.metric),
        old: shown(change.old),
        new: shown(change.new),
        difference: format!("{}{}", sign(difference.as_f64()), shown(difference)),
        percent: percent.map_or(String::new(), |value| format!("{}{}", sign(value), format::decimal(value, 2))),
    }
}

/// Text as a workflow command takes it after `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Text as a workflow command takes it in a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
