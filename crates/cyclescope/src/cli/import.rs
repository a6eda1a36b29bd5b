//! Options of `import`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::shared::{Format, ResultArguments};

/// Arguments of `import`.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  cyclescope import serial.log --chip stm32f446ze --board nucleo-f446ze --opt 3
  cyclescope import serial.log --chip atmega328p --board uno --opt s \\
      --format json --out uno.json
  cyclescope import kit.log --kit
  cyclescope import kit.log --kit --board nucleo-f446ze \\
      --out docs/boards/nucleo-f446ze.toml

Lines that are no part of a run are passed over; a run that is wrong ends the import. Several runs of one image are \
samples of one record.

With --kit the log is one of the kit's (`cyclescope kit`): each sequence is shown with the cycles that its timing rows add up to and those \
that the board counted, what contradicts a row first. --out then writes the answers as a file for docs/boards; docs/kit.md \
says how to send it.")]
pub struct ImportArguments {
    /// The board's output
    #[arg(value_name = "LOG")]
    pub log: PathBuf,
    /// The chip on it; a kit's log says it
    #[arg(long, value_name = "CHIP", required_unless_present = "kit")]
    pub chip: Option<String>,
    /// The board's name in records; for a kit's log only --out needs it
    #[arg(long, value_name = "NAME", required_unless_present = "kit")]
    pub board: Option<String>,
    /// The log is the kit's, which times single rows of the timing tables
    #[arg(long, conflicts_with_all = ["opt", "format"])]
    pub kit: bool,
    /// The optimisation level of the images, if the log leaves a choice
    #[arg(long, value_name = "LEVEL")]
    pub opt: Option<String>,
    /// The form and the place of the results.
    #[command(flatten)]
    pub results: ResultArguments<Format>,
}
