//! The results of a sweep in a few rows: of each image, chip, memory setting and clock the spread over all else.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, UInt64Type};
use arrow_array::{Array, ArrayAccessor, RecordBatch, StringArray};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde::Serialize;

use crate::SweepError;
use crate::columns::schema;

/// The most different figures of a group, of which the middle one is found.
const MOST_DIFFERENT: usize = 1 << 20;

/// The results over layouts, arrivals and seeds of one image, chip, memory setting, clock and span. Figures are means of a span's
/// samples, in cycles.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Group {
    /// The image.
    pub image: String,
    /// The chip.
    pub chip: String,
    /// The memory setting.
    pub memory: String,
    /// The clock, where it was set.
    pub clock: Option<u64>,
    /// The span; `None` in a sweep without spans, whose figures are the cycles of a run.
    pub span: Option<String>,
    /// The points that have figures.
    pub points: u64,
    /// The least figure.
    pub min: Option<f64>,
    /// The middle one; `None` if there are too many that differ.
    pub median: Option<f64>,
    /// The greatest.
    pub max: Option<f64>,
    /// The number of points without a figure.
    pub problems: u64,
    /// The reason of the first of them.
    pub problem: Option<String>,
}

/// The results of a sweep.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// The number of points.
    #[serde(skip)]
    pub points: u64,
    /// The groups, in the order of the plan.
    pub groups: Vec<Group>,
    /// The functions that the guests used and the model lacks.
    pub gaps: BTreeSet<String>,
    /// The timing rows that figures rest on and that are assumed.
    pub assumed: BTreeSet<String>,
}

/// A group under way.
#[derive(Default)]
struct Gathered {
    group: Group,
    /// The figures by their bits, which for positive ones have the same order.
    figures: BTreeMap<u64, u64>,
    too_many: bool,
}

impl Gathered {
    fn add(&mut self, figure: f64) {
        let group = &mut self.group;
        group.points += 1;
        group.min = Some(group.min.map_or(figure, |min| min.min(figure)));
        group.max = Some(group.max.map_or(figure, |max| max.max(figure)));
        *self.figures.entry(figure.to_bits()).or_default() += 1;
        if self.figures.len() > MOST_DIFFERENT {
            (self.too_many, self.figures) = (true, BTreeMap::new());
        }
    }

    fn finish(mut self) -> Group {
        let mut before = 0;
        let middle = self.figures.iter().find(|(_, count)| {
            before += **count;
            before > self.group.points / 2
        });
        self.group.median = middle.filter(|_| !self.too_many).map(|(bits, _)| f64::from_bits(*bits));
        self.group
    }
}

impl Summary {
    /// Reads the results at `path`.
    ///
    /// # Errors
    /// [`SweepError::Read`], [`SweepError::Results`].
    pub fn read(path: &Path) -> Result<Self, SweepError> {
        let bad = |why: String| SweepError::Results { path: path.to_owned(), why };
        let file = File::open(path).map_err(|error| SweepError::Read { path: path.to_owned(), error })?;
        let file = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| bad(error.to_string()))?;
        if *file.schema().fields() != *schema().fields() {
            return Err(bad("its columns are others".to_owned()));
        }
        let (mut all, mut points, mut latest) = (Groups::default(), 0, None);
        let (mut gaps, mut assumed) = (BTreeSet::new(), BTreeSet::new());
        for batch in file.build().map_err(|error| bad(error.to_string()))? {
            let batch = batch.map_err(|error| bad(error.to_string()))?;
            let numbers = batch.column_by_name("point").and_then(|all| all.as_primitive_opt::<UInt64Type>());
            for number in numbers.into_iter().flatten() {
                points += u64::from(latest.replace(number) != Some(number));
            }
            all.gather(&batch).ok_or_else(|| bad("a column is of another kind".to_owned()))?;
            for (column, texts) in [("gaps", &mut gaps), ("assumed", &mut assumed)] {
                let all_texts = batch.column_by_name(column).and_then(|all| all.as_dictionary_opt::<Int32Type>());
                let values = all_texts.and_then(|all| all.values().as_string_opt::<i32>());
                let values = values.into_iter().flat_map(|values| values.iter().flatten());
                texts.extend(
                    values.flat_map(|text| text.split(", ")).filter(|text| !text.is_empty()).map(str::to_owned),
                );
            }
        }
        Ok(Self { points, groups: all.all.into_iter().map(Gathered::finish).collect(), gaps, assumed })
    }
}

/// The groups so far.
#[derive(Default)]
struct Groups {
    all: Vec<Gathered>,
    places: BTreeMap<Key, usize>,
}

/// The image, the chip, the memory setting, the clock and the span of a group.
type Key = (String, String, String, Option<u64>, Option<String>);

impl Groups {
    /// Adds the rows of `batch`; `None` if a column is missing or of another kind.
    fn gather(&mut self, batch: &RecordBatch) -> Option<()> {
        let text = |name: &str| {
            let column = batch.column_by_name(name)?.as_dictionary_opt::<Int32Type>()?;
            let values = column.downcast_dict::<StringArray>()?;
            Some(move |row: usize| column.is_valid(row).then(|| values.value(row).to_owned()))
        };
        let count = |name: &str| {
            let column = batch.column_by_name(name)?.as_primitive_opt::<UInt64Type>()?;
            Some(move |row: usize| column.is_valid(row).then(|| column.value(row)))
        };
        let means = batch.column_by_name("mean")?.as_primitive_opt::<Float64Type>()?;
        let (image, chip, memory) = (text("image")?, text("chip")?, text("memory")?);
        let (span, problem) = (text("span")?, text("problem")?);
        let (clock, cycles) = (count("clock")?, count("cycles")?);
        for row in 0..batch.num_rows() {
            let key = (image(row)?, chip(row)?, memory(row)?, clock(row), span(row));
            let places = self.places.len();
            let place = *self.places.entry(key.clone()).or_insert(places);
            if place == self.all.len() {
                let (image, chip, memory, clock, span) = key;
                let group = Group { image, chip, memory, clock, span, ..Group::default() };
                self.all.push(Gathered { group, ..Gathered::default() });
            }
            let group = self.all.get_mut(place)?;
            let mean = means.is_valid(row).then(|| means.value(row));
            let whole = || if span(row).is_none() { cycles(row).map(|cycles| cycles as f64) } else { None };
            match (problem(row), mean.or_else(whole)) {
                (None, Some(figure)) => group.add(figure),
                (problem, _) => {
                    group.group.problems += 1;
                    group.group.problem = group.group.problem.take().or(problem);
                }
            }
        }
        Some(())
    }
}
