//! The setup of experiments on the host, which the command line gives as options.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

/// The setup of experiments on the host. An option that is none or empty is as the experiment's file says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = HostSetup::HEADING)]
pub struct HostSetup {
    /// The number of rounds; all contenders run once a round [default: the experiment's]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub runs: Option<usize>,
    /// The number of rounds before those, which do not count [default: the experiment's]
    #[arg(long, value_name = "N")]
    pub warmup: Option<usize>,
    /// Three rounds only, for a first look: the results say so
    #[arg(long, conflicts_with_all = ["runs", "warmup"])]
    pub quick: bool,
    /// dirwalk: 50 rounds, and system calls counted by strace: a quarter of an hour
    #[arg(long, conflicts_with = "quick")]
    pub thorough: bool,
    /// dirwalk: walk this folder and not a tree that is made
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["dirs", "files", "links", "depth"])]
    pub root: Option<PathBuf>,
    /// dirwalk: how many directories the tree has
    #[arg(long, value_name = "N")]
    pub dirs: Option<u32>,
    /// dirwalk: how many files
    #[arg(long, value_name = "N")]
    pub files: Option<u32>,
    /// dirwalk: how many symbolic links
    #[arg(long, value_name = "N")]
    pub links: Option<u32>,
    /// dirwalk: how deep its directories lie at most
    #[arg(long, value_name = "N")]
    pub depth: Option<u32>,
    /// dirwalk: time against so many worker threads of tokio's: 1,2,4
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = at_least_one)]
    pub workers: Vec<usize>,
    /// dirwalk: time against the most threads of tokio's blocking pool
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = at_least_one)]
    pub blocking_threads: Vec<usize>,
    /// dirwalk: time against so many processors
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = at_least_one)]
    pub cpus: Vec<usize>,
    /// dirwalk: time against so many processors that something else keeps busy
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    pub contend: Vec<usize>,
    /// dirwalk: with --thorough, do not count system calls, for which each contender runs once more under strace, slowly
    #[arg(long)]
    pub no_syscalls: bool,
    /// join: how long each future sleeps: 200ms, 5s [default: the experiment's]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub sleep: Option<Duration>,
    /// join: how many futures [default: the experiment's]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub count: Option<usize>,
}

impl HostSetup {
    /// The heading of these options in the command's help.
    pub const HEADING: &str = "Experiments on the host (dirwalk, join, yield)";

    /// Tells if an axis has at least two values, so that there is a line to draw.
    pub fn has_axis(&self) -> bool {
        [&self.workers, &self.blocking_threads, &self.cpus, &self.contend]
            .into_iter()
            .any(|values| values.iter().any(|value| Some(value) != values.first()))
    }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("it must be 1 at least".to_owned()),
        Ok(number) => Ok(number),
        Err(error) => Err(format!("{error}")),
    }
}

/// Parses a time in `s`, `ms`, `us` or `ns`.
///
/// # Errors
/// The form that a time has.
pub fn duration(text: &str) -> Result<Duration, String> {
    let bad = || "a time is a whole number and its unit, such as 200ms or 5s".to_owned();
    let digits = text.find(|c: char| !c.is_ascii_digit()).ok_or_else(bad)?;
    let number: u64 = text[..digits].parse().map_err(|_| bad())?;
    let scale = match &text[digits..] {
        "s" => 1_000_000_000,
        "ms" => 1_000_000,
        "us" | "µs" => 1_000,
        "ns" => 1,
        _ => return Err(bad()),
    };
    Ok(Duration::from_nanos(number.checked_mul(scale).ok_or_else(bad)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(duration("5s"), Ok(Duration::from_secs(5)));
        assert_eq!(duration("200ms"), Ok(Duration::from_millis(200)));
        for bad in ["5", "s", "1.5s", "-1s", "99999999999999999999s", "5 s", ""] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }
}
