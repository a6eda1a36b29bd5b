//! Options of `digest`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::shared::{ListFormat, ResultArguments};

/// Arguments of `digest`.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  cyclescope run primes button switch display --format json --out results.json
  cyclescope digest results.json")]
pub struct DigestArguments {
    /// Files of records
    #[arg(value_name = "RESULTS.json", required = true)]
    pub records: Vec<PathBuf>,
    /// The form and the place of the results.
    #[command(flatten)]
    pub results: ResultArguments<ListFormat>,
}
