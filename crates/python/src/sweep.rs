//! Sweeps: the plan with its files, and the parts of its results.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cyclescope_guest::Exit;
use cyclescope_sweep::{Ended, Plan, Summary, SweepError};
use pyo3::prelude::*;

use crate::error::{Raise as _, Said};
use crate::watched::watched;

/// A plan with all files that it names, and its chunks. Workers get it as bytes.
#[pyclass(frozen, module = "cyclescope")]
pub(crate) struct Sweep {
    sweep: Arc<cyclescope_sweep::Sweep>,
}

/// The parts of a sweep's results, beside the file that they are joined into.
#[pyclass(frozen, module = "cyclescope")]
pub(crate) struct Parts {
    parts: Mutex<Option<cyclescope_sweep::Parts>>,
}

fn threads(jobs: Option<NonZeroUsize>) -> NonZeroUsize {
    jobs.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
}

#[pymethods]
impl Sweep {
    /// Reads the plan at `path` with the files that it names, and runs one point of each image, chip, memory setting and clock to find
    /// its chunks.
    #[staticmethod]
    #[pyo3(signature = (path, jobs=None))]
    fn read(py: Python<'_>, path: PathBuf, jobs: Option<NonZeroUsize>) -> PyResult<Self> {
        Self::load(py, Plan::read(&path), jobs)
    }

    /// Does the same with a plan as JSON.
    #[staticmethod]
    #[pyo3(signature = (text, jobs=None))]
    fn from_json(py: Python<'_>, text: &str, jobs: Option<NonZeroUsize>) -> PyResult<Self> {
        Self::load(py, Plan::from_json(text), jobs)
    }

    /// The sweep that `pack` made `data` of.
    #[staticmethod]
    fn unpack(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        let sweep = cyclescope_sweep::Sweep::unpack(data).map_err(|error| error.raise(py))?;
        Ok(Self { sweep: Arc::new(sweep) })
    }

    /// The sweep as bytes.
    fn pack(&self) -> Vec<u8> {
        self.sweep.pack()
    }

    /// The number of points.
    #[getter]
    fn points(&self) -> u64 {
        self.sweep.axes().points()
    }

    /// The number of chunks.
    #[getter]
    fn chunks(&self) -> u64 {
        self.sweep.chunks()
    }

    /// The identity, which no other plan, no other files and no other version have.
    #[getter]
    fn identity(&self) -> &str {
        self.sweep.identity()
    }

    /// Runs the points of a chunk, and returns its results as a Parquet file.
    fn run_chunk(&self, py: Python<'_>, chunk: u64) -> PyResult<Vec<u8>> {
        let stop = AtomicBool::new(false);
        let stopped = || stop.load(Ordering::Relaxed);
        let part = watched(py, &stop, || self.sweep.run_chunk(chunk, &stopped))?;
        part.ok_or_else(|| SweepError::Interrupted.raise(py))
    }

    /// Opens the folder `OUT.parts` with the parts of the results at `out`.
    fn parts(&self, py: Python<'_>, out: PathBuf) -> PyResult<Parts> {
        let parts = cyclescope_sweep::Parts::open(&out, &self.sweep).map_err(|error| error.raise(py))?;
        Ok(Parts { parts: Mutex::new(Some(parts)) })
    }
}

impl Sweep {
    fn load(py: Python<'_>, plan: Result<Plan, SweepError>, jobs: Option<NonZeroUsize>) -> PyResult<Self> {
        let plan = plan.map_err(|error| error.raise(py))?;
        let stop = AtomicBool::new(false);
        let stopped = || stop.load(Ordering::Relaxed);
        let sweep = watched(py, &stop, || cyclescope_sweep::Sweep::load(plan, threads(jobs), &stopped))?;
        Ok(Self { sweep: Arc::new(sweep) })
    }
}

impl Parts {
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        stop: &AtomicBool,
        work: impl FnOnce(&cyclescope_sweep::Parts) -> Result<T, SweepError> + Send,
    ) -> PyResult<T> {
        watched(py, stop, || {
            let parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
            parts.as_ref().map(work).transpose()
        })?
        .ok_or_else(|| Said("the parts are closed".to_owned(), Exit::Usage).raise(py))
    }
}

#[pymethods]
impl Parts {
    /// The folder.
    #[getter]
    fn folder(&self, py: Python<'_>) -> PyResult<PathBuf> {
        self.with(py, &AtomicBool::new(false), |parts| Ok(parts.folder().to_owned()))
    }

    /// The numbers of the chunks that have no part yet.
    fn missing(&self, py: Python<'_>) -> PyResult<Vec<u64>> {
        self.with(py, &AtomicBool::new(false), |parts| Ok(parts.missing()))
    }

    /// Keeps `part`, the results of a chunk. Returns how many parts are there then.
    fn put(&self, py: Python<'_>, chunk: u64, part: &[u8]) -> PyResult<u64> {
        self.with(py, &AtomicBool::new(false), |parts| parts.put(chunk, part))
    }

    /// Runs all chunks that have no part yet on threads of this machine. `progress` hears after each chunk how many parts are there, of
    /// how many.
    #[pyo3(signature = (jobs=None, progress=None))]
    fn run(&self, py: Python<'_>, jobs: Option<NonZeroUsize>, progress: Option<Py<PyAny>>) -> PyResult<()> {
        let stop = AtomicBool::new(false);
        let raised: Mutex<Option<PyErr>> = Mutex::new(None);
        let hear = |there: u64, of: u64| {
            let Some(progress) = &progress else { return };
            if let Err(error) = Python::attach(|py| progress.call1(py, (there, of)).map(drop)) {
                stop.store(true, Ordering::Relaxed);
                raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        };
        let stopped = || stop.load(Ordering::Relaxed);
        let ended = self.with(py, &stop, |parts| cyclescope_sweep::run(parts, threads(jobs), &stopped, &hear))?;
        match raised.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None if ended == Ended::Stopped => Err(SweepError::Interrupted.raise(py)),
            None => Ok(()),
        }
    }

    /// Joins all parts in the order of the plan, and puts the file at `out`. Returns its rows.
    fn join(&self, py: Python<'_>, out: PathBuf) -> PyResult<u64> {
        self.with(py, &AtomicBool::new(false), |parts| parts.join(&out).map(|joined| joined.rows))
    }

    /// Removes the folder with all parts.
    fn remove(&self, py: Python<'_>) -> PyResult<()> {
        let parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner).take();
        parts.map_or(Ok(()), cyclescope_sweep::Parts::remove).map_err(|error| error.raise(py))
    }

    /// Lets go of the folder, so that another process can have it.
    fn close(&self) {
        drop(self.parts.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// The results at `path` in a few rows, as JSON: of each image, chip, memory setting and clock the spread over all else.
#[pyfunction]
pub(crate) fn summary(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    let summary = py.detach(|| Summary::read(&path)).map_err(|error| error.raise(py))?;
    serde_json::to_string(&summary).map_err(|error| Said(error.to_string(), Exit::Internal).raise(py))
}
