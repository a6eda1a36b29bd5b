//! Options of `size`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::shared::Format;

/// The units of an image's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SizeBy {
    /// Sections in the target's memory
    Section,
    /// Crates, and C, C++ and assembly
    Crate,
    /// Functions, variables and constants
    Symbol,
    /// Text in the image, found as strings(1) finds it
    String,
}

/// Arguments of `size`.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  cyclescope size app.elf
  cyclescope size app.elf --by symbol --top 50
  cyclescope size before.elf after.elf --diff --by crate --format markdown
  cyclescope size a.elf b.elf c.elf --format csv")]
pub struct SizeArguments {
    /// ELF files
    #[arg(value_name = "ELF", required = true)]
    pub elf: Vec<PathBuf>,
    /// Show what changed from the first file to the second
    #[arg(long)]
    pub diff: bool,
    /// The units to break the size down to (may be repeated) [default: section and crate]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub by: Vec<SizeBy>,
    /// The number of crates, symbols and strings to show; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    /// The format of the results; json and csv always hold everything
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "table")]
    pub format: Format,
}
