//! Runs contenders on the host, each as a process of its own, and reads their resource usage from the kernel.
//!
//! [`contender`] is the child's side: the `cyclescope` program calls it for a hidden subcommand. It does one kind of
//! work in one variant ([`walk`], [`join`], [`yielding`]) and ends. [`process`] is the parent's side: it starts a
//! child, reads its output, waits for it and reads its usage. [`rounds`] orders the runs, and [`tree`] creates the
//! directory tree for walks.
//!
//! The experiments judge and show the results.
#![forbid(unsafe_code)]

pub mod built;
pub mod contender;
mod count;
mod error;
pub mod join;
pub mod process;
pub mod rounds;
pub mod spec;
pub mod tree;
pub mod walk;
pub mod yielding;

pub use error::HostError;
