//! Runs contenders with this crate's own program.

use std::path::Path;
use std::time::Duration;

use cyclescope_host::process::{self, Program, Ran};
use cyclescope_host::spec::{Spec, Work};
use cyclescope_host::{HostError, join, walk};

/// Long enough for a busy machine; nothing is measured.
pub const LIMIT: Duration = Duration::from_secs(300);

pub fn contender() -> Program {
    Program { path: env!("CARGO_BIN_EXE_cyclescope-host-contender").into(), arguments: Vec::new() }
}

#[allow(dead_code, reason = "each test file is a program of its own")]
pub fn walked(variant: walk::Variant, root: &Path, count: bool) -> Result<Ran, HostError> {
    let spec = walk::Spec { variant, workers: Some(2), blocking_threads: Some(4) };
    process::run(&contender(), &Spec { work: Work::Walk(spec), cpus: None, count }, Some(root), LIMIT)
}

#[allow(dead_code, reason = "each test file is a program of its own")]
pub fn joined(spec: join::Spec) -> join::Account {
    let spec = Spec { work: Work::Join(spec), cpus: None, count: false };
    process::run(&contender(), &spec, None, LIMIT).expect("it runs").account.join.expect("it waited")
}
