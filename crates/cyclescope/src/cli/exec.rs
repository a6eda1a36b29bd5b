//! Options of `exec`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::shared::{ChipArguments, LimitArguments, after_help};

/// Arguments of `exec`.
#[derive(Debug, Args)]
#[command(after_long_help = after_help(
    "cyclescope exec target/thumbv6m-none-eabi/release/app --chip stm32c031c6
  cyclescope exec test.elf --chip cortex-m4 --max-cycles 48000000
  cyclescope exec app.elf --chip my-board.toml"
))]
pub struct ExecArguments {
    /// The firmware
    #[arg(value_name = "ELF")]
    pub elf: PathBuf,
    /// The chip and its flash settings.
    #[command(flatten)]
    pub chip: ChipArguments,
    /// Stop the guest at this cycle, or where the instruction or interrupt entry then under way ends
    #[arg(long, value_name = "N", default_value_t = 10_000_000_000)]
    pub max_cycles: u64,
    /// The limits of the run.
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Wait for gdb on this port of 127.0.0.1 (0: any that is free) and run as it says
    #[arg(long, value_name = "PORT")]
    pub gdb: Option<u16>,
    /// The choice of tests of a suite.
    #[command(flatten)]
    pub suite: SuiteArguments,
}

/// The choice of tests, for an ELF that is a suite of the crate embedded-test. `cargo test -- …` passes these options on.
/// them on.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Suites of embedded-test")]
pub struct SuiteArguments {
    /// Only tests whose names contain one of these
    #[arg(value_name = "FILTER")]
    pub filter: Vec<String>,
    /// Names are whole ones
    #[arg(long)]
    pub exact: bool,
    /// No tests whose names contain this
    #[arg(long, value_name = "FILTER")]
    pub skip: Vec<String>,
    /// Only tests that are ignored otherwise
    #[arg(long)]
    pub ignored: bool,
    /// Ignored tests as well
    #[arg(long)]
    pub include_ignored: bool,
    /// Name the tests and run none
    #[arg(long)]
    pub list: bool,
    /// As it is anyway: output comes out as it is written
    #[arg(long, alias = "show-output")]
    pub nocapture: bool,
    /// As it is anyway: one test after the other
    #[arg(long, value_name = "N")]
    pub test_threads: Option<usize>,
}
