//! Options of `report`.

use std::path::PathBuf;

use clap::Args;
use cyclescope_attached::DeviceText;
use cyclescope_scope::{SpanText, Time};

use crate::backend::MemorySetting;
use crate::cli::shared::memory_parser;
use crate::cli::stimuli::Stimuli;

/// Arguments of `report`.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  cyclescope run button switch --format json --out results.json
  cyclescope report results.json --out report.html --open
  cyclescope report old.json new.json --out both.html
  cyclescope report --run app.elf --chip stm32c031c6 --for 20ms \\
      --stimulus 'at 10ms pin PC13 low' --out app.html

The page is one file. It needs no network, no server and nothing beside it. docs/report.md \
says what is on it.")]
pub struct ReportArguments {
    /// Files of records, as `run`, `measure` and `size` write them with `--format json`
    #[arg(value_name = "RESULTS.json", required_unless_present = "run")]
    pub results: Vec<PathBuf>,
    /// Write the page to this file
    #[arg(long, value_name = "FILE.html")]
    pub out: PathBuf,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    /// Leave out the timelines and flame graphs, for which a bundled image of each experiment runs once more
    #[arg(long, conflicts_with = "run")]
    pub no_runs: bool,
    /// Show a run of this ELF in place of those of bundled images
    #[arg(long, value_name = "ELF")]
    pub run: Option<PathBuf>,
    /// The chip to run it on: a name of `cyclescope list chips`, or a TOML file that describes a chip [default: the one that
    /// the firmware or its project names]
    #[arg(long, value_name = "CHIP", requires = "run")]
    pub chip: Option<String>,
    /// Hang a device on its chip's pins, as for `exec` (may be repeated)
    #[arg(long, value_name = "DEVICE[:OPTIONS]@PLACE", requires = "run")]
    pub attach: Vec<DeviceText>,
    /// Flash settings to run it with
    #[arg(long, value_parser = memory_parser(), value_name = "SETTING", default_value = "shipped", requires = "run")]
    pub memory: MemorySetting,
    /// A stimulus, written as for `measure`, or @FILE with one a line (may be repeated)
    #[arg(long, value_name = "STIMULUS", requires = "run")]
    pub stimulus: Vec<Stimuli>,
    /// The length of the run, from reset
    #[arg(long = "for", value_name = "TIME", allow_hyphen_values = true, default_value = "100ms", requires = "run")]
    pub window: Time,
    /// The symbol of the word that names its running task (FreeRTOS: pxCurrentTCB)
    #[arg(long, value_name = "SYMBOL", requires = "run")]
    pub task_pointer: Option<String>,
    /// A span, written as for `measure`, that the page measures when it makes the run again (may be repeated)
    #[arg(long, value_name = "NAME=FROM..TO", requires = "run")]
    pub span: Vec<SpanText>,
    /// The core with which the page makes its runs again, as releases carry it and `cargo xtask wasm --core` writes it [default: the
    /// one in this program, if it has one]
    #[arg(long, value_name = "FILE")]
    pub core: Option<PathBuf>,
    /// Show the tasks of its runtime, a lane each, and who woke whom, as `tasks` sees them
    #[arg(long, requires = "run")]
    pub tasks: bool,
}
