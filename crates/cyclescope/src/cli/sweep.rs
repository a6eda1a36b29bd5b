//! Options of `sweep`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::shared::after_help;

/// The format of what `sweep` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SweepFormat {
    /// A table for people
    Table,
    /// The same for programs
    Json,
    /// A table for a pull request
    Markdown,
}

/// Arguments of `sweep`.
#[derive(Debug, Args)]
#[command(after_long_help = after_help(
    "cyclescope sweep plan.toml --out results.parquet
  cyclescope sweep plan.toml --out results.parquet --dry-run
  cyclescope sweep plan.toml --out results.parquet --address auto

A plan:
  chip = ['stm32f446ze']
  layouts = 1000
  span = ['irq=exception:SysTick:entered..exception:SysTick:returned']
  [[image]]
  elf = 'app.elf'

docs/sweep.md has all keys, and the columns of the results."
))]
pub struct SweepArguments {
    /// The plan
    #[arg(value_name = "PLAN")]
    pub plan: PathBuf,
    /// The file for the results, Parquet; FILE.parts has the parts until it is whole
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// The number of runs that may go on at once [default: as many as there are processors]
    #[arg(long, value_name = "N", conflicts_with = "address")]
    pub jobs: Option<NonZeroUsize>,
    /// Run the chunks on the Ray cluster at this address, by the Python package of the same version: `auto`, HOST:PORT, or `local`
    /// for one of this machine's own
    #[arg(long, value_name = "ADDRESS")]
    pub address: Option<String>,
    /// Keep the parts when the file is whole
    #[arg(long)]
    pub keep_parts: bool,
    /// Check the plan, run one point of each image, chip, memory setting and clock, and say how many points and chunks there are
    #[arg(long, conflicts_with = "address")]
    pub dry_run: bool,
    /// The format of what is shown
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "table")]
    pub format: SweepFormat,
}
