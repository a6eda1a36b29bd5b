//! Options of `claims`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::shared::{ListFormat, ResultArguments};

/// Arguments of `claims`.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  cyclescope run primes button switch syscall --format json --out results.json
  cyclescope run dirwalk --format json --out host.json
  cyclescope claims results.json host.json")]
pub struct ClaimsArguments {
    /// Files of records
    #[arg(value_name = "RESULTS.json", required = true)]
    pub records: Vec<PathBuf>,
    /// The form and the place of the results.
    #[command(flatten)]
    pub results: ResultArguments<ListFormat>,
}
