//! The view of an experiment on the HTML page: its columns, the records that fill them, and its charts.

use std::collections::BTreeSet;

use cyclescope_records::{Record, Scalar, Statistic, Unit};
use cyclescope_report::page::{Chart, ChartKind};

/// The view of one experiment, or of one of its axes.
#[derive(Clone, Debug)]
pub struct PageView {
    /// The section's name.
    pub name: String,
    /// The section's question; empty: the experiment's own.
    pub question: String,
    /// The name of the property that `variant` tells rows apart by, such as `mode`; empty if rows have no variant.
    pub variant_name: &'static str,
    /// The page begins with all variants, and not with the first.
    pub all_variants: bool,
    /// Returns the variant of its contender that a record belongs to, or `None` for a record that is not in this view.
    pub variant: fn(&Record) -> Option<String>,
    /// The columns.
    pub columns: Vec<PageColumn>,
    /// The charts.
    pub charts: Vec<Chart>,
}

/// The quantity that a column takes from its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The number in the record's own unit.
    Whole,
    /// Milliseconds: cycles by the record's clock, or nanoseconds.
    Milliseconds,
    /// A ratio in per cent.
    Percent,
    /// The value of this parameter, and not the record's number.
    Parameter(&'static str),
}

/// A column and the record that fills it.
#[derive(Clone, Debug)]
pub struct PageColumn {
    /// The heading.
    pub title: String,
    /// The unit below the heading.
    pub unit: String,
    /// The page shows the column from the beginning, and not only on request.
    pub shown: bool,
    /// The record's metric.
    pub metric: String,
    /// The record's mode: the first of these that has a record; empty: any.
    pub modes: Vec<&'static str>,
    /// A parameter that the record must have, and the values it may have.
    pub parameter: Option<(&'static str, Vec<String>)>,
    /// The record's estimate.
    pub statistic: Statistic,
    /// The quantity shown.
    pub quantity: Quantity,
}

/// The caption of a point chart of cost against size.
pub(crate) const FRONT: &str =
    "To the left is smaller, below is faster; nothing is both smaller and faster than a contender on the dotted front.";

/// The modes of a program that say most about its size, first things first.
pub(crate) const NEAREST: [&str; 3] = ["two", "one", "plain"];

/// The most columns of an experiment that describes no view.
const MOST_COLUMNS: usize = 24;
/// The number of those columns that are shown from the beginning.
const SHOWN_COLUMNS: usize = 8;

/// Returns a group of bars over `columns`.
pub(crate) fn bars(columns: &[usize], floor: Option<usize>, logarithmic: bool) -> ChartKind {
    ChartKind::Bars { columns: columns.to_vec(), floor, logarithmic }
}

impl PageView {
    /// Returns a view without variants.
    pub(crate) fn of(name: &str, columns: Vec<PageColumn>, charts: Vec<Chart>) -> Self {
        Self {
            name: name.to_owned(),
            question: String::new(),
            variant_name: "",
            all_variants: true,
            variant: |_| Some(String::new()),
            columns,
            charts,
        }
    }

    /// Returns a chart.
    pub(crate) fn chart(name: &str, title: &str, caption: &str, kind: ChartKind) -> Chart {
        Chart { name: name.to_owned(), title: title.to_owned(), caption: caption.to_owned(), kind }
    }

    /// Returns the view of an experiment that describes none: every metric is a column, in the order of the records, and the
    /// first metric has bars.
    pub fn of_metrics(name: &str, own: &[&Record]) -> Self {
        let mut columns: Vec<PageColumn> = Vec::new();
        let mut known: BTreeSet<(&str, Option<String>)> = BTreeSet::new();
        for record in own.iter() {
            let row = record.params.get("row").map(Scalar::to_string);
            if columns.len() == MOST_COLUMNS || !known.insert((&record.metric, row.clone())) {
                continue;
            }
            let unit = if record.unit == Unit::Count { "" } else { record.unit.name() };
            let title = [Some(record.metric.clone()), row.clone()].into_iter().flatten().collect::<Vec<_>>().join(" ");
            let mut wanted = PageColumn::of(&title, unit, &record.metric);
            wanted.parameter = row.map(|row| ("row", vec![row]));
            wanted.statistic = if record.n > 1 { Statistic::Mean } else { Statistic::Value };
            wanted.shown = columns.len() < SHOWN_COLUMNS;
            columns.push(wanted);
        }
        let mut charts = Vec::new();
        if let Some(first) = columns.first() {
            let same: Vec<usize> =
                (0..columns.len()).filter(|index| columns[*index].metric == first.metric).take(4).collect();
            charts.push(Self::chart("values", &first.metric.clone(), "", bars(&same, None, true)));
            let spread = own.iter().find(|record| record.histogram.is_some());
            let spread = spread.and_then(|record| columns.iter().position(|column| column.metric == record.metric));
            charts.extend(spread.map(|column| {
                let title = format!("How {} is spread", columns[column].title);
                Self::chart("spread", &title, "", ChartKind::Spread { column })
            }));
        }
        Self {
            question: name.to_owned(),
            variant_name: "mode",
            variant: |record| Some(record.mode.clone()),
            ..Self::of(name, columns, charts)
        }
    }
}

impl PageColumn {
    /// Returns a column of `metric` that is shown from the beginning.
    pub(crate) fn of(title: &str, unit: &str, metric: &str) -> Self {
        Self {
            title: title.to_owned(),
            unit: unit.to_owned(),
            shown: true,
            metric: metric.to_owned(),
            modes: Vec::new(),
            parameter: None,
            statistic: Statistic::Value,
            quantity: Quantity::Whole,
        }
    }

    /// Takes records of the first of `modes` that has one.
    pub(crate) fn modes(mut self, modes: &[&'static str]) -> Self {
        self.modes = modes.to_vec();
        self
    }

    /// Takes records of `row`.
    pub(crate) fn row(self, row: &str) -> Self {
        self.with("row", &[row])
    }

    /// Takes records whose parameter `name` has one of `values`.
    pub(crate) fn with(mut self, name: &'static str, values: &[&str]) -> Self {
        self.parameter = Some((name, values.iter().map(|value| (*value).to_owned()).collect()));
        self
    }

    /// Shows this estimate.
    pub(crate) fn statistic(mut self, statistic: Statistic) -> Self {
        self.statistic = statistic;
        self
    }

    /// Shows this quantity.
    pub(crate) fn quantity(mut self, quantity: Quantity) -> Self {
        self.quantity = quantity;
        self
    }

    /// Shows the column only on request.
    pub(crate) fn hidden(mut self) -> Self {
        self.shown = false;
        self
    }
}
