//! Results in columns, as Parquet files.

use std::sync::Arc;

use arrow_array::builder::{Float64Builder, StringDictionaryBuilder, UInt64Builder};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use cyclescope_guest::TOOL;
use cyclescope_records::Record;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use crate::{Sweep, SweepError};

/// The rows of a group in a file.
const ROWS_IN_GROUP: usize = 1 << 18;

/// The key under which a file has the identity of its sweep.
pub(crate) const IDENTITY: &str = "cyclescope.sweep";

/// The key under which a part has the number of its chunk.
pub(crate) const CHUNK: &str = "cyclescope.chunk";

/// The figures of a span, in cycles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    n: u64,
    /// Mean, standard deviation, least, middle, 99th percentile, greatest.
    all: [f64; 6],
}

impl Figures {
    /// Returns those of `record`.
    pub(crate) fn of(record: &Record) -> Self {
        let all = [record.mean, record.stddev, record.min, record.median, record.p99, record.max];
        Self { n: record.n, all: all.map(|number| number.as_f64()) }
    }
}

/// A row: a span at a point.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Row<'r> {
    pub(crate) point: u64,
    pub(crate) image: &'r str,
    pub(crate) chip: &'r str,
    pub(crate) memory: &'r str,
    pub(crate) clock: Option<u64>,
    pub(crate) layout: u64,
    pub(crate) arrival: Option<u64>,
    pub(crate) seed: Option<u64>,
    pub(crate) span: Option<&'r str>,
    pub(crate) figures: Option<Figures>,
    pub(crate) cycles: Option<u64>,
    pub(crate) instructions: Option<u64>,
    pub(crate) core_hz: Option<u64>,
    pub(crate) problem: Option<&'r str>,
    pub(crate) gaps: Option<&'r str>,
    pub(crate) assumed: Option<&'r str>,
}

/// Names of the columns with numbers of 64 bits, in the order of [`Row::counts`].
const COUNTS: [&str; 9] = ["point", "clock", "layout", "arrival", "seed", "n", "cycles", "instructions", "core_hz"];

/// Names of the columns with figures, in the order of [`Figures::all`].
const FIGURES: [&str; 6] = ["mean", "stddev", "min", "median", "p99", "max"];

/// Names of the columns with texts, in the order of [`Row::texts`].
const TEXTS: [&str; 7] = ["image", "chip", "memory", "span", "problem", "gaps", "assumed"];

/// All columns, in the order of a file.
const COLUMNS: [&str; 22] = [
    "point",
    "image",
    "chip",
    "memory",
    "clock",
    "layout",
    "arrival",
    "seed",
    "span",
    "n",
    "mean",
    "stddev",
    "min",
    "median",
    "p99",
    "max",
    "cycles",
    "instructions",
    "core_hz",
    "problem",
    "gaps",
    "assumed",
];

/// Columns that each row has.
const ALWAYS: [&str; 5] = ["point", "image", "chip", "memory", "layout"];

impl Row<'_> {
    fn counts(&self) -> [Option<u64>; 9] {
        let n = self.figures.map(|figures| figures.n);
        let (point, layout) = (Some(self.point), Some(self.layout));
        [point, self.clock, layout, self.arrival, self.seed, n, self.cycles, self.instructions, self.core_hz]
    }

    fn texts(&self) -> [Option<&str>; 7] {
        let names = [self.image, self.chip, self.memory].map(Some);
        let [image, chip, memory] = names;
        [image, chip, memory, self.span, self.problem, self.gaps, self.assumed]
    }
}

/// Rows in the making.
pub(crate) struct Rows {
    counts: [UInt64Builder; 9],
    figures: [Float64Builder; 6],
    texts: [StringDictionaryBuilder<Int32Type>; 7],
}

/// Returns the columns of results.
pub(crate) fn schema() -> SchemaRef {
    let kind = |name: &str| match () {
        () if COUNTS.contains(&name) => DataType::UInt64,
        () if FIGURES.contains(&name) => DataType::Float64,
        () => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
    };
    let fields = COLUMNS.map(|name| Field::new(name, kind(name), !ALWAYS.contains(&name)));
    Arc::new(Schema::new(fields.to_vec()))
}

/// Returns how results are written, with the identity of `sweep`, and of a part the number of its `chunk`.
pub(crate) fn properties(sweep: &Sweep, chunk: Option<u64>) -> WriterProperties {
    let images = sweep.plan().image.iter().zip(&sweep.images);
    let images: serde_json::Map<String, serde_json::Value> =
        images.map(|(named, image)| (named.elf.clone(), image.file_sha256().to_string().into())).collect();
    let mut all = vec![
        ("cyclescope.tool".to_owned(), TOOL.to_owned()),
        (IDENTITY.to_owned(), sweep.identity().to_owned()),
        ("cyclescope.plan".to_owned(), sweep.plan().to_json()),
        ("cyclescope.images".to_owned(), serde_json::Value::Object(images).to_string()),
    ];
    all.extend(chunk.map(|chunk| (CHUNK.to_owned(), chunk.to_string())));
    let all = all.into_iter().map(|(key, value)| KeyValue::new(key, value)).collect();
    WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(ROWS_IN_GROUP))
        .set_key_value_metadata(Some(all))
        .build()
}

/// Returns the error for columns that cannot be made or read.
pub(crate) fn wrong(error: impl std::fmt::Display) -> SweepError {
    SweepError::Columns(error.to_string())
}

impl Rows {
    /// No rows.
    pub(crate) fn new() -> Self {
        Self {
            counts: std::array::from_fn(|_| UInt64Builder::new()),
            figures: std::array::from_fn(|_| Float64Builder::new()),
            texts: std::array::from_fn(|_| StringDictionaryBuilder::new()),
        }
    }

    /// Adds `row`.
    pub(crate) fn push(&mut self, row: Row<'_>) {
        self.counts.iter_mut().zip(row.counts()).for_each(|(column, count)| column.append_option(count));
        for (place, column) in self.figures.iter_mut().enumerate() {
            column.append_option(row.figures.map(|figures| figures.all[place]));
        }
        self.texts.iter_mut().zip(row.texts()).for_each(|(column, text)| column.append_option(text));
    }

    fn finish(mut self) -> Result<RecordBatch, SweepError> {
        let column = |name: &str| -> ArrayRef {
            let place = |names: &[&str]| names.iter().position(|known| *known == name);
            match (place(&COUNTS), place(&FIGURES), place(&TEXTS)) {
                (Some(place), ..) => Arc::new(self.counts[place].finish()),
                (_, Some(place), _) => Arc::new(self.figures[place].finish()),
                (.., place) => Arc::new(self.texts[place.unwrap_or_default()].finish()),
            }
        };
        let columns = COLUMNS.map(column).to_vec();
        RecordBatch::try_new(schema(), columns).map_err(wrong)
    }

    /// Returns the rows as the part of the chunk of that number.
    ///
    /// # Errors
    /// [`SweepError::Columns`].
    pub(crate) fn into_parquet(self, sweep: &Sweep, chunk: u64) -> Result<Vec<u8>, SweepError> {
        let batch = self.finish()?;
        let properties = properties(sweep, Some(chunk));
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).map_err(wrong)?;
        writer.write(&batch).map_err(wrong)?;
        writer.into_inner().map_err(wrong)
    }
}
