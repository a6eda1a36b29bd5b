//! A run of a user's image: the request, the run, its outcome, and that in words and as JSON.
//!
//! The commands `exec`, `measure`, `trace`, `profile`, `tasks` and `size` and the page in a browser are thin layers over this, so that
//! they say the same.
#![forbid(unsafe_code)]

pub mod chip;
mod decoded;
pub mod exec;
pub mod exec_end;
mod executing;
pub mod exit;
mod failure;
pub mod formats;
pub mod gaps;
mod guest;
pub mod hint;
pub mod lines;
pub mod measure;
pub mod measurement;
pub mod options;
mod origin;
mod post_mortem;
pub mod run_end;
pub mod steps;
pub mod stimuli;
pub mod tasking;
pub mod tasks;
pub mod tell;
pub mod trace;
pub mod tracing;
mod units;
pub mod variant;

pub use decoded::Decoded;
pub use executing::{Debugger, ExecOutcome, ExecRequest, Parting, Serve};
pub use exit::Exit;
pub use failure::Failure;
pub use guest::{Devices, Guest, GuestError, HostFolder, KeptDevice, OpenFolder, Scenario};
pub use measurement::{MeasureOutcome, MeasureRequest, RunSummary, Several, WorstOutcome, WorstRequest};
pub use origin::{memory_settings, model};
pub use tasking::{TasksOutcome, TasksRequest};
pub use tracing::{Occurrence, TraceOutcome, TraceRequest};
pub use units::units;
pub use variant::Variant;

/// The name and version that go into files of records.
pub const TOOL: &str = concat!("cyclescope ", env!("CARGO_PKG_VERSION"));

/// The symbol that each suite of the crate embedded-test has.
pub const SUITE_VERSION: &str = "EMBEDDED_TEST_VERSION";

/// Returns how often something happened, in words.
fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{} times", cyclescope_machine::figures::integer(count.into())) }
}
