//! One experiment on the page: rows, columns, and charts over the columns.

use crate::Table;
use cyclescope_records::Statistic;
use serde::Serialize;

/// One experiment.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Section {
    /// Its name, which is also its place in the page's address.
    pub name: String,
    /// The question.
    pub question: String,
    /// The answer in a sentence; may be empty.
    #[serde(skip)]
    pub answer: String,
    /// True if it was timed on the host, where there is no chip to choose.
    pub host: bool,
    /// The name of the rows' `variant`, such as `mode`; empty if rows are not to be chosen by it.
    pub variant_name: String,
    /// True if the page begins with all variants, and not with the first.
    pub all_variants: bool,
    /// The columns of its table.
    pub columns: Vec<Column>,
    /// The rows of its table.
    #[serde(skip)]
    pub rows: Vec<ContenderRow>,
    /// The charts over it.
    pub charts: Vec<Chart>,
    /// The experiment's own tables, with all their notes.
    #[serde(skip)]
    pub tables: Vec<Table>,
}

/// A column of numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Column {
    /// Its heading.
    pub title: String,
    /// The unit, below the heading.
    pub unit: String,
    /// True if the page shows the column from the beginning, and not only on request.
    pub shown: bool,
}

/// A row: one contender under one set of conditions.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ContenderRow {
    /// The contender.
    pub contender: String,
    /// Its version.
    pub version: String,
    /// The optimisation level; may be empty.
    pub opt: String,
    /// The chip; none on a host.
    pub chip: Option<String>,
    /// The memory setting; none on a host.
    pub memory: Option<String>,
    /// The property that tells the row from others, such as a mode; may be empty.
    pub variant: String,
    /// Its numbers, one for each column; none where there is none.
    #[serde(skip)]
    pub cells: Vec<Option<Cell>>,
    /// The columns at which its numbers changed, if the columns follow each other in time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<usize>,
}

/// A number and the record behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Its value in the column's unit, for sorting and drawing.
    pub value: f64,
    /// Its text.
    pub text: String,
    /// The index of its record among those of the page.
    pub record: usize,
    /// The estimate of the record.
    pub statistic: Statistic,
    /// The least and the greatest value over other layouts of the program, if it ran in any, and their number.
    pub luck: Option<([f64; 2], usize)>,
}

/// A chart over a section's columns. Rows that are filtered away are not in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Chart {
    /// The name in files and in the page's address; unique within its section.
    pub name: String,
    /// Its heading.
    pub title: String,
    /// A sentence that says how to read it.
    pub caption: String,
    /// The kind and its columns.
    pub kind: ChartKind,
}

/// The kind of a chart; columns are meant by their index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub enum ChartKind {
    /// A group of bars for each row, one bar for each column.
    Bars {
        /// The columns, all in the same unit.
        columns: Vec<usize>,
        /// The column that is marked as the floor: by one line if all rows have the same, else in each row.
        floor: Option<usize>,
        /// True if the scale may be switched to a logarithmic one.
        logarithmic: bool,
    },
    /// The spread of each row's samples, as a histogram or as a cumulative curve.
    Spread {
        /// A column whose records have histograms.
        column: usize,
    },
    /// One column against another, a line for each contender and variant.
    Lines {
        /// The column along the axis.
        x: usize,
        /// The column of the values.
        y: usize,
        /// True if the ideal is drawn: `y` at the least `x`, divided by as much as `x` has grown since.
        ideal: bool,
    },
    /// Columns that follow each other in time, a line for each row with a mark at each of its changes.
    Trend {
        /// The columns, all in the same unit.
        columns: Vec<usize>,
    },
    /// One column against another, a point for each row; the less of both the better.
    Scatter {
        /// To the right.
        x: usize,
        /// Upwards.
        y: usize,
    },
}
