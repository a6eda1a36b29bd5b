//! Options of `run`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use cyclescope_experiments::HostSetup;

use crate::backend::MemorySetting;
use crate::cli::shared::{Format, ResultArguments, VcdArguments, memories_parser, memory_settings};
use crate::cli::user_image::UserImageArguments;

/// When what an experiment measures arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ArrivalsChoice {
    /// As the experiment's seeded generator says
    Random,
    /// At each cycle of a window, each time from the same state: the exact distribution and its worst case
    Exhaustive,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  cyclescope run
  cyclescope run primes --contender embassy --contender freertos
  cyclescope run primes --chip stm32f446ze --memory all --opt s
  cyclescope run primes --chip my-board.toml
  cyclescope run button --chip stm32f446ze --base c-plain
  cyclescope run button --contender embassy --arrivals exhaustive
  cyclescope run button --chip stm32c031c6 --contender embassy \\
      --mode interrupt --opt 3 --vcd out.vcd
  cyclescope run primes --chip stm32f446ze --opt 3 --luck
  cyclescope run primes --format json --out primes.json
  cyclescope run dirwalk --runs 20 --contender tokio-await --contender rayon
  cyclescope run dirwalk --workers 1,2,4 --contend 0,1,2
  cyclescope run join --sleep 5s --count 1000
  cyclescope run syscall --image my.elf --chip ibex --from trap \\
      --to driver::command --back address:0x102468

With --out, the file is written when the work is done and replaces what was there as a \
whole; until then, and if nothing could be run, that stays as it is. After Ctrl-C what is \
finished is written; a second Ctrl-C ends at once.")]
pub struct RunArguments {
    /// Experiments; none: a digest of all that run on chips
    #[arg(value_name = "EXPERIMENT")]
    pub experiments: Vec<String>,
    /// Only on this chip: a name, or a TOML file that describes one (may be repeated, or a list with commas)
    #[arg(long, value_name = "CHIP", value_delimiter = ',')]
    pub chip: Vec<String>,
    /// Only this contender (may be repeated, or a list with commas)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub contender: Vec<String>,
    /// Only this mode of the experiment (may be repeated, or a list with commas)
    #[arg(long, value_name = "MODE", value_delimiter = ',')]
    pub mode: Vec<String>,
    /// Only this optimisation level: `s`, `3` (may be repeated, or a list with commas)
    #[arg(long, value_name = "LEVEL", value_delimiter = ',')]
    pub opt: Vec<String>,
    /// Flash settings to measure with (may be repeated) [default: equal]
    #[arg(long, value_parser = memories_parser(), value_name = "SETTING")]
    pub memory: Vec<Vec<MemorySetting>>,
    /// Show differences, absolute and in per cent, from this contender
    #[arg(long, value_name = "NAME")]
    pub base: Option<String>,
    /// Also show how the figures vary, what they consist of, and each contender's settings and tools
    #[arg(long)]
    pub details: bool,
    /// When the edge of `button` arrives: at random, or at each cycle of a window in turn
    #[arg(long, value_enum, value_name = "WHEN", default_value = "random")]
    pub arrivals: ArrivalsChoice,
    /// The length of the window of all arrivals; needs `--arrivals exhaustive` [default: the experiment's]
    #[arg(long, value_name = "CYCLES", value_parser = clap::value_parser!(u64).range(1..))]
    pub window: Option<u64>,
    /// One edge, at this cycle after reset: to look again at an arrival that a table names
    #[arg(long, value_name = "CYCLE", conflicts_with_all = ["arrivals", "window"])]
    pub arrival: Option<u64>,
    /// By how many cycles the edges of divided bus clocks lie late for that edge
    #[arg(long, value_name = "CYCLES", default_value_t = 0, requires = "arrival", value_parser = clap::value_parser!(u8).range(..16))]
    pub phase: u8,
    /// Also run each program in other layouts, and show how much of its time is luck of placement [default number: 100]
    #[arg(long, value_name = "LAYOUTS", num_args = 0..=1, require_equals = true, default_missing_value = "100", value_parser = clap::value_parser!(u64).range(1..))]
    pub luck: Option<u64>,
    /// Another seed for what is drawn at random [default: the experiment's]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// A trace of the one run that is chosen.
    #[command(flatten)]
    pub vcd: VcdArguments,
    /// The form and the place of the results.
    #[command(flatten)]
    pub results: ResultArguments<Format>,
    /// Also write the records to this file, as `--format json` would
    #[arg(long, value_name = "FILE.json")]
    pub records: Option<PathBuf>,
    /// Also write an HTML page to this file
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
    /// Open that page in the browser
    #[arg(long, requires = "html")]
    pub open: bool,
    /// The number of runs at once; those on the host go one by one [default: one a processor]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// The setup of experiments on the host.
    #[command(flatten)]
    pub host: HostSetup,
    /// dirwalk: also draw time against --workers, --blocking-threads, --cpus or --contend into this file, as SVG
    #[arg(long, value_name = "FILE", help_heading = HostSetup::HEADING)]
    pub plot: Option<PathBuf>,
    /// A user's image.
    #[command(flatten)]
    pub user: UserImageArguments,
}

impl RunArguments {
    /// Returns the memory settings to measure with, each once, in the order in which results show them.
    pub fn memory(&self) -> Vec<MemorySetting> {
        let asked: Vec<MemorySetting> = self.memory.concat();
        let all = memory_settings("all").into_iter();
        if asked.is_empty() { vec![MemorySetting::Equal] } else { all.filter(|one| asked.contains(one)).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_settings_come_once_and_in_order() {
        use MemorySetting::{Equal, Ideal};
        use clap::{Args, FromArgMatches};
        let settings = |words: &[&str]| {
            let command = RunArguments::augment_args(clap::Command::new("run").no_binary_name(true));
            let matches = command.try_get_matches_from(words).expect("the words are options of run");
            RunArguments::from_arg_matches(&matches).expect("clap has checked them").memory()
        };
        assert_eq!(settings(&[]), [Equal]);
        assert_eq!(settings(&["--memory", "ideal", "--memory=equal", "--memory", "ideal"]), [Equal, Ideal]);
        assert_eq!(settings(&["--memory", "ideal", "--memory", "all"]).len(), 3);
    }
}
