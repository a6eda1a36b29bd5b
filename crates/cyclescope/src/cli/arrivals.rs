//! Options of `measure` for arrivals.

use std::num::NonZeroUsize;

use clap::{Args, ValueEnum};
use cyclescope_scope::MOST_ARRIVALS;

/// The arrivals of a window that are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ArrivalsTried {
    /// At each cycle of the window in turn; of two stimuli, all pairs
    Exhaustive,
    /// As many as --budget says, those first that meet the core in a situation of its own
    Search,
}

/// The arrivals of stimuli whose time is a window.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Arrivals, for a stimulus `at FROM..TO ACTION`")]
pub struct ArrivalArguments {
    /// Have it come at the cycles of its window, each in a run of its own, and show the maximum over these arrivals
    #[arg(long, value_enum, value_name = "WHICH", conflicts_with_all = ["vcd", "files", "until"])]
    pub arrivals: Option<ArrivalsTried>,
    /// Have it come at this cycle after reset, in one run: to look again at an arrival that was named. Two stimuli have two, with
    /// a comma
    #[arg(long, value_name = "CYCLE", value_delimiter = ',', conflicts_with = "arrivals")]
    pub arrival: Vec<u64>,
    /// The number of arrivals that a search tries
    #[arg(long, value_name = "N", default_value_t = 10_000, requires = "arrivals", value_parser = clap::value_parser!(u64).range(1..=MOST_ARRIVALS))]
    pub budget: u64,
    /// The seed by which arrivals that a search has skipped are drawn, a tenth of its budget: they are run as well
    #[arg(long, value_name = "N", default_value_t = 1, requires = "arrivals")]
    pub seed: u64,
    /// The number of runs at once [default: one a processor]
    #[arg(long, value_name = "N", requires = "arrivals")]
    pub jobs: Option<NonZeroUsize>,
}
