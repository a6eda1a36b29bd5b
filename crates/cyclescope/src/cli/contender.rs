//! The hidden command by which this program is a contender of an experiment on the host.

use std::path::PathBuf;

use clap::Args;

/// Arguments of the hidden `contender`, which `run` starts.
#[derive(Debug, Args)]
pub struct ContenderArguments {
    /// What to do, as JSON
    pub spec: String,
    /// What to walk
    pub root: Option<PathBuf>,
}
