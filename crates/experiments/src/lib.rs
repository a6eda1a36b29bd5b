//! Experiments: one question each, how it is set up, and what makes an answer count.
//!
//! An experiment plans [`Job`]s, runs each into [`Record`](cyclescope_records::Record)s, and lays records out as tables
//! and as the lines of a digest. It checks the program's own output first: a run whose output is not exactly right is
//! an error and no number. The questions are written down in `experiments/*.toml`.
#![forbid(unsafe_code)]

mod board;
mod button;
mod claims;
mod conditions;
mod definition;
mod digest;
mod display;
mod error;
mod experiment;
mod host;
mod job;
mod luck;
mod page_view;
mod parallel;
mod primes;
mod program;
mod representative;
mod selection;
mod subject;
mod switch;
pub mod syscall;
mod table_notes;

pub use board::{BoardLog, ImportError, import};
pub use button::Button;
pub use claims::claims;
pub use digest::{Digest, digests, short, trust};
pub use error::RunError;
pub use experiment::{Dump, Experiment, GapsHeard, Mode, Said, Trust, View, Watch};
pub use host::{HostJob, HostOptions, HostSetup, duration, machine_settings, sampled};
pub use job::{ImageJob, Job};
pub use luck::Luck;
pub use page_view::{PageColumn, PageView, Quantity};
pub use parallel::{Failed, Outcome, run};
pub use representative::{Representative, representatives};
pub use selection::{Arrivals, Selection};
pub use syscall::Syscall;

pub use cyclescope_guest::{Devices, Guest, GuestError, KeptDevice, Scenario, memory_settings, model};
use display::Display;
use host::{DirWalk, Join, Yield};
use primes::Primes;
use switch::Switch;

/// All experiments, in the order in which they are listed.
pub fn all() -> Vec<Box<dyn Experiment>> {
    vec![
        Box::new(Primes::bundled()),
        Box::new(Button::bundled()),
        Box::new(Switch::bundled()),
        Box::new(Syscall::bundled()),
        Box::new(Display::bundled()),
        Box::new(DirWalk::bundled()),
        Box::new(Join::bundled()),
        Box::new(Yield::bundled()),
    ]
}
