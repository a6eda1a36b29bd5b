//! The hidden command by which this program is a contender of an experiment on the host.

use std::path::PathBuf;

use clap::Args;

/// Arguments of the hidden `contender`, which `run` starts.
#[derive(Debug, Args)]
pub struct ContenderArguments {
    /// The task, as JSON
    pub spec: String,
    /// The folder to walk
    pub root: Option<PathBuf>,
}
