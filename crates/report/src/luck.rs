//! Changes told from luck of placement.

use cyclescope_records::{Comparison, LuckChange, LuckKind};

use crate::{Cell, Column, Table, Tone, format};

/// The most layouts that are advised: a span that needs more is not worth the wait.
const MOST_ADVISED: u64 = 100_000;

/// One row a metric of which both sides have layouts; `None` if there are none.
pub fn luck(comparison: &Comparison<'_>) -> Option<Table> {
    let changes = comparison.luck();
    if changes.is_empty() {
        return None;
    }
    let columns = [
        Column::text("metric"),
        Column::text("chip").rank(3),
        Column::number("old"),
        Column::number("new"),
        Column::number("as linked"),
        Column::number("beyond luck"),
        Column::number("by chance").rank(1),
        Column::number("pairs as far").rank(2),
        Column::text("verdict"),
    ];
    let mut table = Table::new("regression, improvement or luck", columns);
    for change in &changes {
        table.row(row(change));
    }
    table.note(
        "`beyond luck`: how far the means over all layouts lie apart. `by chance`: how likely the draw of layouts alone makes them \
         differ as much (Welch's test, corrected by Holm's method). `pairs as far`: the share of pairs of an old and a new layout \
         that placement alone puts at least as far apart as the two images are.",
    );
    for change in changes.iter().filter(|change| change.kind() == LuckKind::Luck) {
        let (percent, own) = change.deciding;
        let words = |count: u64| match count {
            0..=MOST_ADVISED => format!("{} layouts", format::integer(count.max(2).into())),
            _ => format!("more than {} layouts", format::integer(MOST_ADVISED.into())),
        };
        table.note(format!(
            "{}: {} on each side would decide a change of 1 %, {} one as large as the images' own difference, four times in five.",
            change.pair.new.metric,
            words(percent),
            words(own),
        ));
    }
    Some(table)
}

fn row(change: &LuckChange<'_>) -> [Cell; 9] {
    let figure = |cycles: f64| Cell::from(format::decimal(cycles, usize::from(cycles.fract() != 0.0)));
    let percent = |old: f64, new: f64| match 100.0 * (new - old) / old {
        change if change.is_finite() => {
            format!("{}{} %", if change > 0.0 { "+" } else { "" }, format::decimal(change, 2))
        }
        _ => String::new(),
    };
    let tone = match change.kind() {
        LuckKind::Regression => Tone::Bad,
        LuckKind::Improvement => Tone::Good,
        LuckKind::Luck | LuckKind::Same => Tone::Faint,
    };
    let chance = match change.chance {
        chance if chance < 0.001 => "< 0.001".to_owned(),
        chance => format::decimal(chance, 3),
    };
    [
        Cell::from(change.pair.new.metric.as_str()),
        Cell::from(change.pair.new.chip.as_deref().unwrap_or_default()),
        figure(change.linked.0),
        figure(change.linked.1),
        Cell::from(percent(change.linked.0, change.linked.1)),
        Cell::from(percent(change.means.0, change.means.1)),
        Cell::from(chance),
        Cell::from(format!("{} %", format::decimal(100.0 * change.share, 0))),
        Cell::toned(change.kind().to_string(), tone),
    ]
}

#[cfg(test)]
mod tests {
    use cyclescope_records::stats::Number;
    use cyclescope_records::{Record, Source, Unit, compare};

    use super::*;

    #[test]
    fn a_row_has_the_verdict_and_luck_the_number_of_layouts_that_would_decide() {
        let record = |figures: &[i64]| Record {
            metric: "answer".to_owned(),
            unit: Unit::Cycles,
            layouts: Some(figures.iter().copied().map(Number::Integer).collect()),
            ..Record::empty(Source::Simulated)
        };
        let text = |old: &[i64], new: &[i64]| {
            let (old, new) = ([record(old)], [record(new)]);
            let table = luck(&compare(&old, &new)).expect("both have layouts");
            (table.rows[0].last().map(|cell| cell.text.clone()).unwrap_or_default(), table.foot.len())
        };
        assert_eq!(text(&[100, 100, 104, 102], &[103, 101, 103, 102]), ("luck".to_owned(), 2));
        assert_eq!(text(&[100, 100, 101, 102], &[203, 201, 203, 202]), ("regression".to_owned(), 1));
        assert!(luck(&compare(&[Record::empty(Source::Simulated)], &[Record::empty(Source::Simulated)])).is_none());
    }
}
