//! Options of `explain`.

use std::ffi::OsString;
use std::time::Duration;

use clap::{Args, ValueEnum};
use cyclescope_experiments::duration;
use cyclescope_explain::{Command, Source};

use crate::cli::shared::{Format, ResultArguments, after_help};

/// A source of more than the kernel's account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SourceName {
    /// System calls, by strace
    Syscalls,
    /// The states of all threads, by bpftrace
    Scheduler,
    /// The waits of runtimes' threads, by perf
    Waits,
    /// Instruction counts, by valgrind's callgrind, or by perf
    Instructions,
}

impl From<SourceName> for Source {
    fn from(name: SourceName) -> Self {
        match name {
            SourceName::Syscalls => Self::SystemCalls,
            SourceName::Scheduler => Self::Scheduler,
            SourceName::Waits => Self::Waits,
            SourceName::Instructions => Self::Instructions,
        }
    }
}

/// The most rounds.
const MOST_ROUNDS: i64 = 1_000_000;

/// Reads a number of rounds, `least` at least.
fn rounds(least: i64) -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(least..=MOST_ROUNDS)
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
#[command(after_long_help = after_help(
    "cyclescope explain -- ./walk /usr
  cyclescope explain --against './walk --sync /usr' -- ./walk --async /usr
  cyclescope explain --name walk --out new.json -- ./walk /usr
  cyclescope compare old.json new.json --fail-on 'syscalls > +0' \\
      --fail-on 'switches > +5%'

A command reads nothing, and what it prints is thrown away; its last words are shown if it fails. No shell runs it: write \
`-- sh -c '…'` for one. docs/explain.md says what each figure is and by what rule the parts add up."
))]
pub struct ExplainArguments {
    /// Another command to run in the same rounds and compare with, as one word (may be repeated)
    #[arg(long, value_name = "COMMAND", value_parser = Command::parse)]
    pub against: Vec<Command>,
    /// The name of a command in results: the first is COMMAND's, the others are of those of --against [default: the command]
    #[arg(long, value_name = "NAME")]
    pub name: Vec<String>,
    /// The number of rounds, in each of which each command runs once
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = rounds(1))]
    pub runs: u32,
    /// The number of rounds before them that do not count
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = rounds(0))]
    pub warmup: u32,
    /// The number of runs of each command that each source watches; 2 tell if a count repeats
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = rounds(0))]
    pub traced: u32,
    /// A command for the shell before each run; it does not count
    #[arg(long, value_name = "COMMAND")]
    pub prepare: Option<String>,
    /// Empty the page cache before each run; only root may
    #[arg(long)]
    pub cold: bool,
    /// Kill a run that takes longer; one that a source watches may take a hundred times as long
    #[arg(long, value_name = "TIME", default_value = "600s", value_parser = duration)]
    pub timeout: Duration,
    /// The number that the order in each round is drawn from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Leave these sources out
    #[arg(long, value_enum, value_name = "SOURCE,…", value_delimiter = ',')]
    pub without: Vec<SourceName>,
    /// Use sources whose runs take more than a minute, too
    #[arg(long)]
    pub all_sources: bool,
    /// The form and the place of the results.
    #[command(flatten)]
    pub results: ResultArguments<Format>,
    /// The command with its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}
