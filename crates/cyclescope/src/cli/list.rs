//! Options of `list`.

use clap::{Args, ValueEnum};

use crate::cli::shared::Format;

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
    /// Devices that --attach hangs on a chip's pins
    Devices,
}

/// The format of what `list` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CatalogueFormat {
    /// Tables for people
    Table,
    /// Tables for a document
    Markdown,
    /// Everything for programs, as docs/records.md describes it
    Json,
}

impl CatalogueFormat {
    /// Returns the format of tables; `None` for JSON.
    pub fn of_tables(self) -> Option<Format> {
        match self {
            Self::Table => Some(Format::Table),
            Self::Markdown => Some(Format::Markdown),
            Self::Json => None,
        }
    }
}

/// Arguments of `list`.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// The list to show [default: experiments, chips and contenders]
    #[arg(value_enum)]
    pub kind: Option<ListKind>,
    /// With `chips`: show this one part, its clocks, memories, peripherals, pins, ports and interrupts; of a part of a name, the
    /// chips that it fits
    #[arg(value_name = "CHIP")]
    pub chip: Option<String>,
    /// The format
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "table")]
    pub format: CatalogueFormat,
}
