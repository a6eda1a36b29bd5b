//! Experiments on the host: contenders as processes, in rounds, by the kernel's account of them.
//!
//! [`question`] is what all such questions share, [`measure`] runs the rounds, [`origin`] says where a number comes from;
//! each question has a folder of its own.

mod dirwalk;
mod join;
mod measure;
mod origin;
mod question;
mod setup;
mod yielding;

use std::sync::Arc;

use cyclescope_host::process::Program;
use serde::Deserialize;

use crate::RunError;

pub use setup::HostSetup;

/// Why is my async directory walk slower than the plain one?
pub type DirWalk = question::OnHost<dirwalk::Tree>;
/// The question of waiting for a thousand futures.
pub type Join = question::OnHost<join::Sleeps>;
/// The question of the cost of one await on the host.
pub type Yield = question::OnHost<yielding::Search>;

/// The setup of experiments on the host, and the programs that contenders are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostOptions {
    /// The program that contenders are.
    pub program: Option<Program>,
    /// The same program with an allocator that counts.
    pub counting: Option<Program>,
    /// The setup.
    pub setup: HostSetup,
}

impl HostOptions {
    fn program(&self) -> Result<&Program, RunError> {
        self.program.as_ref().ok_or_else(|| RunError::Setup("there is no program to run contenders with".to_owned()))
    }
}

/// The contenders of one experiment under one setting, all in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostJob {
    /// Its name while it is under way.
    pub name: String,
    /// The experiment's mode, where the whole job is of one.
    pub mode: Option<String>,
    /// The value of that mode.
    pub value: Option<usize>,
    /// Only these contenders; empty for all.
    pub contenders: Vec<String>,
    /// Only these modes; empty for all.
    pub modes: Vec<String>,
    /// Another seed for order and trees.
    pub seed: Option<u64>,
    /// The setup.
    pub options: Arc<HostOptions>,
}

/// The method of an experiment, as its file says.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MethodText {
    runs: usize,
    warmup: usize,
    seed: u64,
    #[serde(default = "confidence")]
    confidence: f64,
    #[serde(default = "resamples")]
    resamples: usize,
    limit_seconds: u64,
}

fn confidence() -> f64 {
    0.95
}

fn resamples() -> usize {
    2000
}
