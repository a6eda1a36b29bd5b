//! Options of `luck`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use cyclescope_records::Statistic;
use cyclescope_scope::{Event, SpanText};

use crate::cli::shared::{Format, GuestArguments, LimitArguments, ResultArguments, after_help};

/// The estimate of a span that stands for a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Estimate {
    /// The mean of its samples
    Mean,
    /// The shortest
    Min,
    /// The middle one
    Median,
    /// The 99th percentile
    P99,
    /// The longest
    Max,
}

impl From<Estimate> for Statistic {
    fn from(estimate: Estimate) -> Self {
        match estimate {
            Estimate::Mean => Self::Mean,
            Estimate::Min => Self::Min,
            Estimate::Median => Self::Median,
            Estimate::P99 => Self::P99,
            Estimate::Max => Self::Max,
        }
    }
}

/// Arguments of `luck`.
#[derive(Debug, Args)]
#[command(after_long_help = after_help(
    "cyclescope luck app.elf --chip stm32f446ze --for 300ms \\
      --span 'irq=exception:SysTick:entered..exception:SysTick:returned'
  cyclescope luck app.elf --chip stm32g071rb --layouts 200 --estimate max \\
      --span 'work=pin:PA0:rise..pin:PA0:fall' --map app.map
  cyclescope luck old.elf --chip stm32f446ze --span … --out old.json
  cyclescope luck new.elf --chip stm32f446ze --span … --out new.json
  cyclescope compare old.json new.json --luck

Spans, events and stimuli are written as for `measure`. docs/luck.md says what a layout is and what the figures mean."
))]
pub struct LuckArguments {
    /// The firmware, its chip and its run.
    #[command(flatten)]
    pub guest: GuestArguments,
    /// A span to measure: NAME=EVENT..EVENT (may be repeated)
    #[arg(long, value_name = "SPAN", required = true)]
    pub span: Vec<SpanText>,
    /// The number of layouts to run beside the firmware's own
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pub layouts: u64,
    /// Run to this event once, and begin each layout there with empty caches: faster where start-up is long, and approximate
    #[arg(long, value_name = "EVENT")]
    pub from: Option<Event>,
    /// The number that the layouts are drawn from; the same one gives the same layouts
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// The estimate of a span's samples that stands for a layout
    #[arg(long, value_enum, value_name = "WHICH", default_value = "mean")]
    pub estimate: Estimate,
    /// The map that the linker wrote (GNU ld: -Map, lld: --Map): its input sections move; without it symbols tell what does
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// The number of functions to show of those whose placement matters
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub top: usize,
    /// The number of layouts in which functions are told apart; 0 leaves them out
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub traced: usize,
    /// The number of runs that may go on at once [default: as many as there are processors]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// The form and the place of the results.
    #[command(flatten)]
    pub results: ResultArguments<Format>,
    /// The limits of the run.
    #[command(flatten)]
    pub limits: LimitArguments,
}
