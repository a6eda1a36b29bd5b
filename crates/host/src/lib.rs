//! Experiments on the host: what a contender's process is asked to do and tells, and how it is started and measured.
//!
//! [`spec`] is the language between parent and child, with the kinds of work ([`walk`], [`hop`], [`join`], [`yielding`]). [`process`]
//! starts a child, reads its output, waits for it and reads its resource usage from the kernel. [`rounds`] orders the runs, and
//! [`tree`] creates the directory tree for walks. `cyclescope-contenders` does the work.
//!
//! The experiments judge and show the results.
#![forbid(unsafe_code)]

pub mod built;
mod error;
pub mod hop;
pub mod join;
pub mod process;
pub mod rounds;
pub mod spec;
pub mod tree;
pub mod walk;
pub mod yielding;

pub use error::HostError;
