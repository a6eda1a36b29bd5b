//! What can be asked of `list`.

use clap::{Args, ValueEnum};

use crate::cli::ListFormat;

/// What `list` shows.
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
    /// What to show; nothing: all but the images
    #[arg(value_enum)]
    pub kind: Option<ListKind>,
    /// How to write it
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "table")]
    pub format: ListFormat,
}
