//! Experiments on the host: contenders as processes, in rounds, by the kernel's account of them.
//!
//! [`question`] is what all such questions share, [`measure`] runs the rounds, [`origin`] says where a number comes from;
//! each question has a folder of its own.

mod dirwalk;
pub(crate) mod job;
mod join;
mod measure;
mod origin;
mod question;
mod setup;
mod yielding;

pub use job::{HostJob, HostOptions};
pub use origin::{machine_settings, of as sampled};
pub use setup::{HostSetup, duration};

/// Why is my async directory walk slower than the plain one?
pub type DirWalk = question::OnHost<dirwalk::Tree>;
/// The question of waiting for a thousand futures.
pub type Join = question::OnHost<join::Sleeps>;
/// The question of the cost of one await on the host.
pub type Yield = question::OnHost<yielding::Search>;
