//! What can be asked of `run`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::backend::MemorySetting;
use crate::cli::host::HostArguments;
use crate::cli::own::OwnArguments;
use crate::cli::{Format, VcdTime};

/// Which memory settings to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MemoryChoice {
    /// The flash as the vendor recommends for this clock, whatever the firmware wrote
    Equal,
    /// What the firmware wrote
    Shipped,
    /// No wait states: shows what is luck of placement
    Ideal,
    /// All three
    All,
}

impl MemoryChoice {
    /// The settings that `choices` name, each once, in the order in which results show them; `equal` for none.
    pub fn settings(choices: &[Self]) -> Vec<MemorySetting> {
        let chosen = |setting: &MemorySetting| {
            choices.iter().any(|choice| match choice {
                Self::All => true,
                Self::Equal => *setting == MemorySetting::Equal,
                Self::Shipped => *setting == MemorySetting::Shipped,
                Self::Ideal => *setting == MemorySetting::Ideal,
            })
        };
        match choices {
            [] => vec![MemorySetting::Equal],
            _ => MemorySetting::ALL.into_iter().filter(chosen).collect(),
        }
    }
}

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
  cyclescope run button --chip stm32c031c6 --contender embassy --mode interrupt --opt 3 --vcd out.vcd
  cyclescope run primes --format json --out primes.json
  cyclescope run dirwalk --runs 20 --contender tokio-await --contender rayon
  cyclescope run dirwalk --workers 1,2,4 --contend 0,1,2
  cyclescope run join --sleep 5s --count 1000
  cyclescope run syscall --image my.elf --chip ibex --from trap --to driver::command --back address:0x102468

With --out, the file is written when the work is done and replaces what was there as a
whole; until then, and if nothing could be run, that stays as it is. After Ctrl-C what is
finished is written; a second Ctrl-C ends at once.")]
pub struct RunArguments {
    /// Experiments; none: a digest of all that run on chips
    #[arg(value_name = "EXPERIMENT")]
    pub experiments: Vec<String>,
    /// Only on this chip: a name, or a TOML file that describes one (may be repeated)
    #[arg(long, value_name = "CHIP")]
    pub chip: Vec<String>,
    /// Only this contender (may be repeated)
    #[arg(long, value_name = "NAME")]
    pub contender: Vec<String>,
    /// Only this mode of the experiment (may be repeated)
    #[arg(long, value_name = "MODE")]
    pub mode: Vec<String>,
    /// Only this optimisation level: `s`, `3` (may be repeated)
    #[arg(long, value_name = "LEVEL")]
    pub opt: Vec<String>,
    /// Flash settings to measure with (may be repeated) [default: equal]
    #[arg(long, value_enum, value_name = "SETTING")]
    pub memory: Vec<MemoryChoice>,
    /// Show differences, absolute and in per cent, from this contender
    #[arg(long, value_name = "NAME")]
    pub base: Option<String>,
    /// When the edge of `button` arrives: at random, or at each cycle of a window in turn
    #[arg(long, value_enum, value_name = "WHEN", default_value = "random")]
    pub arrivals: ArrivalsChoice,
    /// How many cycles the window of all arrivals has; needs `--arrivals exhaustive` [default: the experiment's]
    #[arg(long, value_name = "CYCLES", value_parser = clap::value_parser!(u64).range(1..))]
    pub window: Option<u64>,
    /// One edge, at this cycle after reset: to look again at an arrival that a table names
    #[arg(long, value_name = "CYCLE", conflicts_with_all = ["arrivals", "window"])]
    pub arrival: Option<u64>,
    /// By how many cycles the edges of divided bus clocks lie late for that edge
    #[arg(long, value_name = "CYCLES", default_value_t = 0, requires = "arrival", value_parser = clap::value_parser!(u8).range(..16))]
    pub phase: u8,
    /// Another seed for what is drawn at random [default: the experiment's]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Write pins, exceptions, sleep and a kernel's running task of the one run that is chosen to this file for GTKWave
    /// or PulseView
    #[arg(long, value_name = "FILE")]
    pub vcd: Option<PathBuf>,
    /// What one unit of time in that file is
    #[arg(long, value_enum, value_name = "UNIT", default_value = "cycles", requires = "vcd")]
    pub vcd_time: VcdTime,
    /// How to write the results [default: by --out's extension, else table]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<Format>,
    /// Write to this file and not to stdout
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Also write the records to this file, as `--format json` would
    #[arg(long, value_name = "FILE.json")]
    pub records: Option<PathBuf>,
    /// Also write a page to look at to this file
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
    /// Open that page in the browser
    #[arg(long, requires = "html")]
    pub open: bool,
    /// How many runs may go on at once; those on the host go one by one [default: one a processor]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// How experiments on the host are set up.
    #[command(flatten)]
    pub host: HostArguments,
    /// An image of one's own.
    #[command(flatten)]
    pub own: OwnArguments,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_settings_come_once_and_in_order() {
        use MemoryChoice::{All, Equal, Ideal};
        assert_eq!(MemoryChoice::settings(&[]), [MemorySetting::Equal]);
        assert_eq!(MemoryChoice::settings(&[Ideal, Equal, Ideal]), [MemorySetting::Equal, MemorySetting::Ideal]);
        assert_eq!(MemoryChoice::settings(&[Ideal, All]), MemorySetting::ALL);
    }
}
