//! Tables that pandas, polars and others take by the Arrow interface.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use cyclescope_guest::Exit;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::error::{Raise as _, Said};

/// A table of columns.
///
/// pandas, polars, pyarrow and DuckDB read it by the Arrow interface: `polars.DataFrame(frame)`, `pandas.DataFrame.from_arrow(frame)`,
/// `pyarrow.table(frame)`.
#[pyclass(frozen, module = "cyclescope")]
pub(crate) struct Frame {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Frame {
    /// The table of `batches`, which have the columns `schema`.
    pub(crate) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self { schema, batches }
    }

    /// Returns the rows as the capsule that the Arrow interface asks for. What columns are `requested` may be passed over: a reader
    /// then converts by itself.
    pub(crate) fn stream<'py>(
        &self,
        py: Python<'py>,
        _requested: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let batches = self.batches.clone().into_iter().map(Ok::<_, ArrowError>);
        let reader: Box<dyn RecordBatchReader + Send> =
            Box::new(RecordBatchIterator::new(batches, Arc::clone(&self.schema)));
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
    }
}

#[pymethods]
impl Frame {
    /// The table as a stream of the Arrow C interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        self.stream(py, requested_schema)
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The number of rows.
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

/// Reads a file of a sweep's results.
#[pyfunction]
pub(crate) fn read_parquet(py: Python<'_>, path: PathBuf) -> PyResult<Frame> {
    let read = || {
        let unreadable = |error| Said(format!("{} cannot be read: {error}", path.display()), Exit::NoInput);
        let bad = |error: &dyn std::fmt::Display| Said(format!("{}: {error}", path.display()), Exit::BadInput);
        let file = File::open(&path).map_err(unreadable)?;
        let file = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| bad(&error))?;
        let schema = Arc::clone(file.schema());
        let batches = file.build().map_err(|error| bad(&error))?;
        let batches = batches.collect::<Result<Vec<_>, _>>().map_err(|error| bad(&error))?;
        Ok(Frame::new(schema, batches))
    };
    py.detach(read).map_err(|error: Said| error.raise(py))
}
