//! Options of `list`.

use clap::{Args, ValueEnum};

use crate::cli::shared::ListFormat;

/// The lists that `list` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListKind {
    /// Questions that can be asked
    Experiments,
    /// Chip models
    Chips,
    /// Runtimes under test
    Contenders,
    /// Bundled images
    Images,
}

/// Arguments of `list`.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// The list to show [default: all but the images]
    #[arg(value_enum)]
    pub kind: Option<ListKind>,
    /// With `chips`: show this one part, its clocks, memories, peripherals, pins, ports and interrupts
    #[arg(value_name = "CHIP")]
    pub chip: Option<String>,
    /// The format
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "table")]
    pub format: ListFormat,
}
