//! Records: numbers with their origin.

use std::sync::Arc;

use arrow_array::builder::{Float64Builder, StringBuilder, UInt64Builder};
use arrow_array::{ArrayRef, RecordBatch};
use cyclescope_guest::{Exit, TOOL};
use cyclescope_records::{Record, RecordFile};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::error::{Raise as _, Said};
use crate::frame::Frame;

/// Records: numbers, each with its whole origin.
///
/// pandas, polars and pyarrow take them as a table by the Arrow interface; `to_json` gives the file that `cyclescope compare` and
/// `cyclescope history` read.
#[pyclass(frozen, module = "cyclescope")]
pub(crate) struct Records {
    pub(crate) records: Vec<Record>,
}

/// A text of a record.
type Text = fn(&Record) -> Option<String>;

/// A figure of a record.
type Figure = fn(&Record) -> f64;

/// Returns `value` as JSON, in which keys keep their order.
fn json(value: &impl serde::Serialize) -> Option<String> {
    serde_json::to_string(value).ok()
}

impl Records {
    fn frame(&self) -> Result<Frame, Said> {
        let texts: [(&str, Text); 13] = [
            ("experiment", |record| Some(record.experiment.clone())),
            ("mode", |record| Some(record.mode.clone())),
            ("contender", |record| Some(record.contender.clone())),
            ("contender_version", |record| Some(record.contender_version.clone())),
            ("compiler", |record| Some(record.compiler.clone())),
            ("chip", |record| record.chip.clone()),
            ("opt", |record| Some(record.opt.clone())),
            ("metric", |record| Some(record.metric.clone())),
            ("unit", |record| Some(record.unit.to_string())),
            ("source", |record| Some(record.source.to_string())),
            ("image_sha256", |record| record.image_sha256.clone()),
            ("params", |record| json(&record.params)),
            ("settings", |record| json(&record.settings)),
        ];
        let figures: [(&str, Figure); 6] = [
            ("mean", |record| record.mean.as_f64()),
            ("stddev", |record| record.stddev.as_f64()),
            ("min", |record| record.min.as_f64()),
            ("median", |record| record.median.as_f64()),
            ("p99", |record| record.p99.as_f64()),
            ("max", |record| record.max.as_f64()),
        ];
        let mut columns: Vec<(&str, ArrayRef, bool)> = Vec::new();
        for (name, of) in texts {
            let mut column = StringBuilder::new();
            self.records.iter().for_each(|record| column.append_option(of(record)));
            columns.push((name, Arc::new(column.finish()), true));
        }
        let mut counts: [UInt64Builder; 2] = Default::default();
        for record in &self.records {
            counts[0].append_option(record.clock_hz);
            counts[1].append_value(record.n);
        }
        for (name, mut column) in ["clock_hz", "n"].into_iter().zip(counts) {
            columns.push((name, Arc::new(column.finish()), true));
        }
        for (name, of) in figures {
            let mut column = Float64Builder::new();
            self.records.iter().for_each(|record| column.append_value(of(record)));
            columns.push((name, Arc::new(column.finish()), true));
        }
        let batch = RecordBatch::try_from_iter_with_nullable(columns);
        let batch = batch.map_err(|error| Said(error.to_string(), Exit::Internal))?;
        Ok(Frame::new(batch.schema(), vec![batch]))
    }
}

#[pymethods]
impl Records {
    /// The records of a file that `to_json` or a command's `--format json` wrote.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        let file = RecordFile::from_json(text);
        let file = file.map_err(|error| Said(error.to_string(), Exit::BadInput).raise(py))?;
        Ok(Self { records: file.records })
    }

    /// The records as JSON, in the form of docs/records.md.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        let file = RecordFile::new(TOOL, self.records.clone()).to_json();
        file.map_err(|error| Said(error.to_string(), Exit::Internal).raise(py))
    }

    /// The records as a table: `params` and `settings` are JSON objects.
    fn to_frame(&self, py: Python<'_>) -> PyResult<Frame> {
        self.frame().map_err(|error| error.raise(py))
    }

    /// The table as a stream of the Arrow C interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        self.to_frame(py)?.stream(py, requested_schema)
    }

    /// The number of records.
    fn __len__(&self) -> usize {
        self.records.len()
    }
}
