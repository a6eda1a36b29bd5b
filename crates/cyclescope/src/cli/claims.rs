//! What can be asked of `claims`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::ListFormat;

/// Arguments of `claims`.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  cyclescope run primes button switch syscall --format json --out results.json
  cyclescope run dirwalk --format json --out host.json
  cyclescope claims results.json host.json")]
pub struct ClaimsArguments {
    /// Files of records
    #[arg(value_name = "RESULTS.json", required = true)]
    pub results: Vec<PathBuf>,
    /// How to write it [default: by --out's extension, else table]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<ListFormat>,
    /// Write to this file and not to stdout
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}
