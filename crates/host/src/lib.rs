//! Contenders on the host, each a program in a process of its own, and what the kernel says they took.
//!
//! [`contender`] is the child's side: the `cyclescope` program calls it for a hidden subcommand, does one piece of work in
//! one way ([`walk`], [`join`], [`yielding`]) and ends. [`process`] is the parent's: it starts a child, drains its pipes,
//! waits for it and reads the kernel's account. [`rounds`] says in which order, [`tree`] makes what is walked.
//!
//! Nothing here judges results or shows them; that is for the experiments.
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
