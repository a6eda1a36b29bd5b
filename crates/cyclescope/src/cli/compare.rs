//! Options of `compare`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use cyclescope_history::Reference;
use cyclescope_records::Bound;
use cyclescope_scope::Event;

use crate::backend::MemorySetting;
use crate::cli::history::HISTORY;
use crate::cli::shared::{OutsideArguments, ResultArguments, memory_parser};
use crate::tracing::{Beginning, Occurrence};

/// The format of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompareFormat {
    /// Tables for people
    Table,
    /// Tables for a pull request
    Markdown,
    /// Everything compared, as docs/ci.md describes it
    Json,
    /// A line for each broken bound, which GitHub shows beside the pull request's files
    Github,
}

/// The old side of a comparison.
#[derive(Clone, Debug)]
pub enum Against {
    /// An entry of a history.
    History(Reference),
    /// A file.
    File(PathBuf),
}

impl FromStr for Against {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix("history:") {
            Some(reference) => Ok(Self::History(reference.parse()?)),
            None => Ok(Self::File(PathBuf::from(text))),
        }
    }
}

/// The bounds on changes, and the form in which they are shown.
#[derive(Debug, Args)]
pub struct ChangeArguments {
    /// A bound that a change may not break, such as 'cycles>+1%' (may be repeated)
    #[arg(long, value_name = "BOUND")]
    pub fail_on: Vec<Bound>,
    /// Tell regressions from luck of placement; both sides are what `luck` writes with `--format json`
    #[arg(long)]
    pub luck: bool,
    /// Show what is the same too
    #[arg(long)]
    pub all: bool,
    /// The number of functions that are named of those that gained or lost; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,
    /// The form and the place of the results.
    #[command(flatten)]
    pub results: ResultArguments<CompareFormat>,
}

/// Arguments of `compare`.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  cyclescope run switch --format json --out old.json
  cyclescope compare old.json new.json
  cyclescope compare old.json new.json --fail-on 'cycles>+1%' \\
      --fail-on 'flash>+64' --out changes.md
  cyclescope compare new.json --against history:main~20
  cyclescope compare old.elf new.elf --chip stm32f446re \\
      --from symbol:on_request --to symbol:on_request:left
  cyclescope compare old-luck.json new-luck.json --luck \\
      --fail-on 'response > +1% beyond luck'
  cyclescope compare old.elf new.elf --experiment primes --chip stm32f446ze \\
      --contender embassy --mode one --opt 3

A bound is [EXPERIMENT/]METRIC [STATISTIC] > AMOUNT, or <. METRIC is a name with * for any characters, or a \
unit: cycles, instructions, bytes, ns, count, ratio. STATISTIC is mean, min, median, p99, max or n. AMOUNT is \
a change (+1%, +20) or a value (420), and `beyond luck` behind it has the means over layouts obey it. `vanished` is broken when a metric is no longer there. \
Exact figures break a bound as soon as they are beyond it; those of a host must also differ by more than noise.

The process ends with 1 when a bound is broken. docs/ci.md has a workflow to copy.")]
pub struct CompareArguments {
    /// The old side: records, an ELF, hyperfine's JSON or Criterion's folder. With --against the one file is the new side
    #[arg(value_name = "OLD")]
    pub old: PathBuf,
    /// The new side, of the same kind
    #[arg(value_name = "NEW", required_unless_present = "against", conflicts_with = "against")]
    pub new: Option<PathBuf>,
    /// The old side: a file, or an entry of a history, such as history:main~20, the 20th before main's newest
    #[arg(long, value_name = "history:REV|FILE")]
    pub against: Option<Against>,
    /// The history of --against
    #[arg(long, value_name = "FILE.sqlite", default_value = HISTORY, requires = "against")]
    pub file: PathBuf,
    /// The bounds and the form of the changes.
    #[command(flatten)]
    pub changes: ChangeArguments,
    /// The runs of ELFs.
    #[command(flatten, next_help_heading = "Two ELFs")]
    pub elf: ElfOptions,
}

/// The runs of two ELFs that are compared.
#[derive(Debug, Args)]
pub struct ElfOptions {
    /// The chip to run them on: a name of `cyclescope list chips`, or a TOML file that describes a chip
    #[arg(long, value_name = "CHIP")]
    pub chip: Option<String>,
    /// Flash settings to run with
    #[arg(long, value_parser = memory_parser(), value_name = "SETTING", default_value = "shipped")]
    pub memory: MemorySetting,
    /// The event that what is compared begins with [default: the whole run]
    #[arg(long, value_name = "[last ]EVENT", requires = "to")]
    pub from: Option<Beginning>,
    /// The event that it ends before
    #[arg(long, value_name = "EVENT", requires = "from")]
    pub to: Option<Event>,
    /// The occurrence of the span: a number from 1, or `all`, summed up
    #[arg(long, value_name = "N|all", default_value = "1", requires = "from")]
    pub occurrence: Occurrence,
    /// The stimuli and the length of the run.
    #[command(flatten)]
    pub outside: OutsideArguments,
    /// Run them in this experiment, in the place of the bundled image that the next three choose
    #[arg(long, value_name = "NAME", conflicts_with_all = ["from", "stimulus"])]
    pub experiment: Option<String>,
    /// Whose program they are
    #[arg(long, value_name = "NAME", requires = "experiment")]
    pub contender: Option<String>,
    /// In which of its modes
    #[arg(long, value_name = "NAME", requires = "experiment")]
    pub mode: Option<String>,
    /// At which optimisation level
    #[arg(long, value_name = "LEVEL", requires = "experiment")]
    pub opt: Option<String>,
}
