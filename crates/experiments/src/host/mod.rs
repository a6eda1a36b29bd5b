//! Experiments on the host: contenders as processes, in rounds, by the kernel's account of them.
//!
//! [`question`] is what all such questions share, [`measure`] runs the rounds, [`origin`] says where a number comes from;
//! each question has a folder of its own.

mod dirwalk;
mod join;
mod measure;
mod origin;
mod question;
mod yielding;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cyclescope_host::process::Program;
use serde::Deserialize;

use crate::{Mode, RunError};

/// Why is my async directory walk slower than the plain one?
pub type DirWalk = question::OnHost<dirwalk::Tree>;
/// How do I wait for a thousand things?
pub type Join = question::OnHost<join::Sleeps>;
/// What does one await cost here?
pub type Yield = question::OnHost<yielding::Search>;

/// How experiments on the host are set up; what is none is as the experiment's file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostOptions {
    /// The program that contenders are.
    pub program: Option<Program>,
    /// The same with an allocator that counts.
    pub counting: Option<Program>,
    /// Rounds.
    pub runs: Option<usize>,
    /// Rounds before those, which do not count.
    pub warmup: Option<usize>,
    /// The folder to walk, in place of a tree that is made.
    pub root: Option<PathBuf>,
    /// Directories of that tree.
    pub dirs: Option<u32>,
    /// Files of it.
    pub files: Option<u32>,
    /// Links of it.
    pub links: Option<u32>,
    /// How deep it is.
    pub depth: Option<u32>,
    /// Numbers of tokio's workers, one after the other.
    pub workers: Vec<usize>,
    /// The most threads of tokio's blocking pool, one after the other.
    pub blocking_threads: Vec<usize>,
    /// Processors to use, one number after the other.
    pub cpus: Vec<usize>,
    /// Processors that something else keeps busy, one number after the other.
    pub contend: Vec<usize>,
    /// System calls are not counted, which takes long.
    pub no_syscalls: bool,
    /// How long each future sleeps.
    pub sleep: Option<Duration>,
    /// How many futures.
    pub count: Option<usize>,
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
    /// What is set in that mode.
    pub value: Option<usize>,
    /// Only these contenders; empty for all.
    pub contenders: Vec<String>,
    /// Only these modes; empty for all.
    pub modes: Vec<String>,
    /// Another seed for order and trees.
    pub seed: Option<u64>,
    /// How it is set up.
    pub options: Arc<HostOptions>,
}

/// How an experiment measures, as its file says.
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

/// A mode, as an experiment's file says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModeText {
    name: String,
    title: String,
}

impl ModeText {
    fn modes(all: &[Self]) -> Vec<Mode> {
        all.iter().map(|mode| Mode { name: mode.name.clone(), title: mode.title.clone() }).collect()
    }
}
