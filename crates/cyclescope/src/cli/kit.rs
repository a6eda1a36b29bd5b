//! Options of `kit`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::shared::ListFormat;

/// Arguments of `kit`.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  cyclescope kit --chip stm32f446ze
  cyclescope kit --chip stm32f446ze --out kit.elf
  cyclescope exec kit.elf --chip stm32f446ze

The last line runs it on the model, which prints what a board prints. docs/kit.md goes through it for a board: flash it, read the \
serial port, import the log.")]
pub struct KitArguments {
    /// The chip on the board
    #[arg(long, value_name = "CHIP")]
    pub chip: String,
    /// Write the program to this file (ELF)
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The format of the sequences
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "table", conflicts_with = "out")]
    pub format: ListFormat,
}
