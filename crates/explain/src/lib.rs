//! Runs any commands in rounds, and says where their time went.
//!
//! [`rounds`] orders the runs. [`process`] starts a run as a process of its own, drains what it prints, waits for it, and leaves
//! nothing of it running; [`account`] is what the kernel then tells. Four sources say more in runs of their own, which they make
//! slower: [`strace`] system calls, [`scheduler`] the states of all threads, [`waits`] what the threads of a runtime wait for,
//! [`instructions`] instruction counts.
//! [`parts`] divides the time of a run into parts that add up to it.
//!
//! On Linux a run's processes are found wherever they go: the calling process becomes the parent of those whose own parent has
//! ended (PR_SET_CHILD_SUBREAPER, prctl(2)). Therefore only this library may start children while it runs, and it runs one command
//! at a time.
#![forbid(unsafe_code)]

pub mod account;
mod command;
mod error;
pub mod instructions;
pub mod parts;
pub mod process;
pub mod rounds;
pub mod scheduler;
mod source;
pub mod strace;
mod tree;
pub mod waits;

pub use command::{Command, CommandError};
pub use error::RunError;
pub use source::{Source, Unavailable};
