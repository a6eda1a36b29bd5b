//! The core of cyclescope for a browser.
//!
//! A page hands in a file and a [`Request`] as JSON, and has an [`Answer`] as JSON. The answer's `file` is, byte for byte, the one
//! that the command writes, and its messages are those that the command writes to standard error: both are made by
//! `cyclescope-guest`. Output and progress come while a run goes on. A run has no files but those
//! that the page hands in, no network and no clock of the host;
//! its code is interpreted.
//!
//! The interface to scripts is made by wasm-bindgen, on `wasm32-unknown-unknown` alone. Elsewhere this is a library that tests use.
#![forbid(unsafe_code)]

mod answer;
mod beside;
mod inspect;
#[cfg(target_arch = "wasm32")]
mod interface;
mod request;
mod run;
mod timeline;

pub use answer::{Answer, Picture, Shown};
pub use beside::Beside;
pub use inspect::{Chip, DeviceKind, Inspection, chips, devices, inspect};
pub use request::{Command, Request, RequestError};
pub use run::{Watcher, run};
pub use timeline::{Lane, Timeline};
