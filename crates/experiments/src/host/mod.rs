//! Experiments on the host: contenders as processes, in rounds, by the kernel's account of them.
//!
//! [`measure`] runs the rounds, [`origin`] says where a number comes from; each question has a folder of its own.

mod dirwalk;
mod join;
mod measure;
mod origin;
mod yielding;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cyclescope_host::process::Program;
use serde::Deserialize;

pub use dirwalk::DirWalk;
pub use join::Join;
pub use yielding::Yield;

use crate::{Arrivals, Experiment, Mode, RunError, Selection};

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

/// Whether anything of `experiment` is chosen.
fn is_chosen(experiment: &dyn Experiment, selection: &Selection) -> bool {
    why_not(experiment, selection).is_none()
}

/// Why nothing of `experiment`, which runs on the host, is chosen.
fn why_not(experiment: &dyn Experiment, selection: &Selection) -> Option<String> {
    let name = experiment.name();
    if !selection.chips.is_empty() || !selection.parts.is_empty() {
        return Some(format!("{name} runs on the host and not on a chip"));
    }
    if selection.arrivals != Arrivals::Random {
        return Some(format!("nothing arrives in {name}, so that there are no arrivals to choose"));
    }
    let contenders = experiment.contenders();
    if !contenders.iter().any(|(known, ..)| Selection::takes(&selection.contenders, known)) {
        let known: Vec<&str> = contenders.iter().map(|(known, ..)| known.as_str()).collect();
        return Some(format!("the contenders of {name} are {}", known.join(", ")));
    }
    if !selection.opts.is_empty() && !Selection::takes(&selection.opts, cyclescope_host::built::OPT) {
        return Some(format!("{name} is built into this program at opt {}", cyclescope_host::built::OPT));
    }
    None
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
