//! Long work beside Python.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::error::Raise;

/// The time between two looks at Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);

/// Does `work` on a thread of its own, without Python's lock. At Ctrl-C, or where a signal's handler raises anything, sets `stop`, waits
/// for the end, and returns the exception.
pub(crate) fn watched<T: Send, E: Raise + Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    work: impl FnOnce() -> Result<T, E> + Send,
) -> PyResult<T> {
    let (sender, result) = channel();
    py.detach(|| {
        std::thread::scope(|scope| {
            // Nobody waits any more only where Python has ended.
            scope.spawn(move || drop(sender.send(work())));
            Python::attach(|py| awaited(py, stop, result))
        })
    })
}

/// Waits for the `result` of work that goes on elsewhere, without Python's lock. At Ctrl-C, or where a signal's handler raises anything,
/// sets `stop`, waits for the end all the same, and returns the exception.
pub(crate) fn awaited<T: Send, E: Raise + Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    result: Receiver<Result<T, E>>,
) -> PyResult<T> {
    let mut raised = None;
    let result = Mutex::new(result);
    let ended = loop {
        let waited = py.detach(|| result.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK));
        match waited {
            Ok(result) => break Some(result),
            Err(RecvTimeoutError::Disconnected) => break None,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(exception) = py.check_signals() {
            stop.store(true, Ordering::Relaxed);
            raised.get_or_insert(exception);
        }
    };
    stop.store(false, Ordering::Relaxed);
    match (ended, raised) {
        (_, Some(exception)) => Err(exception),
        (Some(result), None) => result.map_err(|error| error.raise(py)),
        (None, None) => Err(internal()),
    }
}

/// Returns the exception for work whose thread has panicked.
pub(crate) fn internal() -> PyErr {
    PyRuntimeError::new_err("cyclescope has ended by an internal error")
}
