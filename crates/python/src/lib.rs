//! The native half of the Python package `cyclescope`; the other half is in `python/cyclescope`.
//!
//! Python's lock is let go while a guest runs, on a thread of its own; the thread that Python called waits and hears of Ctrl-C.
#![forbid(unsafe_code)]

mod board;
mod error;
mod firmware;
mod frame;
mod records;
mod sweep;
mod watched;

use cyclescope_chips::{Part, Tier};
use pyo3::prelude::*;

/// Runs of firmware on cycle-timed models of microcontrollers.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::board::{Board, Measured, Span, Worst};
    #[pymodule_export]
    use crate::error::Error;
    #[pymodule_export]
    use crate::firmware::Firmware;
    #[pymodule_export]
    use crate::frame::{Frame, read_parquet};
    #[pymodule_export]
    use crate::records::Records;
    #[pymodule_export]
    use crate::sweep::{Parts, Sweep, summary};
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::{bundled, chips};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // Without a second tier all is as it was, and slower.
        let _ = super::Tier::Compiled.choose();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

/// The names of all chips.
#[pyfunction]
fn chips() -> Vec<&'static str> {
    Part::names().collect()
}

/// The names of the bundled images.
#[pyfunction]
fn bundled() -> Vec<&'static str> {
    cyclescope_images::images().iter().map(|image| image.name).collect()
}
