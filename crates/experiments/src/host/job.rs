//! The runs of one experiment on the host, and the programs that they start.

use std::sync::Arc;

use cyclescope_host::process::Program;

use super::setup::HostSetup;
use crate::RunError;

/// The setup of experiments on the host, and the programs that contenders are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostOptions {
    /// The program that contenders are; `None` in a build without them.
    pub program: Option<Program>,
    /// The same program with an allocator that counts.
    pub counting: Option<Program>,
    /// The setup.
    pub setup: HostSetup,
}

impl HostOptions {
    pub(super) fn program(&self) -> Result<&Program, RunError> {
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
