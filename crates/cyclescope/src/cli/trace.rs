//! Options of `trace` and `profile`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::shared::{
    FilesArguments, GuestArguments, GuestOutput, LimitArguments, ResultArguments, VariantArguments,
};
use crate::tracing::TraceSpan;

/// The units of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceBy {
    /// Functions, each by itself and with what it called
    Function,
    /// Paths of calls
    Path,
    /// Source lines
    Line,
    /// Functions that are inlined, and into which
    Inlined,
    /// Kinds of instruction
    Class,
    /// memcpy, memset and what compilers call, by who called them
    Helper,
}

/// The format of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceFormat {
    /// Tables for people
    Table,
    /// Everything, as docs/trace.md describes it
    Json,
    /// Tables for a pull request
    Markdown,
}

/// Options that `trace` and `profile` share.
#[derive(Debug, Args)]
pub struct TraceOptions {
    /// The firmware, its chip and its run.
    #[command(flatten)]
    pub guest: GuestArguments,
    /// The clock and the layout.
    #[command(flatten)]
    pub variant: VariantArguments,
    /// The units to break the trace down to (may be repeated) [default: function, class and helper]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub by: Vec<TraceBy>,
    /// The number of rows of a table; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    /// The form and the place of the results.
    #[command(flatten)]
    pub results: ResultArguments<TraceFormat>,
    /// Count sleep in flame graphs and in the tables of `profile` too; shares are then of all cycles, not of those awake
    #[arg(long)]
    pub sleep: bool,
    /// Write the paths of calls as a flame graph, as wide as their cycles
    #[arg(long, value_name = "FILE.svg")]
    pub flamegraph: Option<PathBuf>,
    /// Write every instruction to this file, disassembled, with the registers that it changed and the memory it touched
    #[arg(long, value_name = "FILE")]
    pub listing: Option<PathBuf>,
    /// The destination of the guest's own output
    #[arg(long, value_enum, value_name = "WHERE", default_value = "stderr")]
    pub guest_output: GuestOutput,
    /// The files that the guest has.
    #[command(flatten)]
    pub files: FilesArguments,
    /// The limits of the run.
    #[command(flatten)]
    pub limits: LimitArguments,
}

/// Arguments of `trace`.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  cyclescope trace app.elf --chip stm32f446ze \\
      --from exception:EXTI15_10:entered --to app::on_button
  cyclescope trace app.elf --chip stm32f446ze --from trap \\
      --to 'driver::*::command' --by path
  cyclescope trace app.elf --chip stm32c031c6 --from main --to time:20ms \\
      --flamegraph main.svg
  cyclescope trace app.elf --chip stm32c031c6 --occurrence all --format json \\
      --from exception:SysTick:entered --to exception:SysTick:returned

The instruction of the first event counts, that of the last does not. \
Events are those of `measure`. `trap` is a supervisor call about to execute, exception:SVCall:entered \
its handler's first instruction. docs/trace.md explains all of it.")]
pub struct TraceArguments {
    /// The shared options.
    #[command(flatten)]
    pub options: TraceOptions,
    /// The span.
    #[command(flatten)]
    pub span: TraceSpan,
}

/// Arguments of `profile`.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  cyclescope profile app.elf --chip stm32c031c6 --for 100ms
  cyclescope profile app.elf --chip stm32f446ze --until symbol:done \\
      --flamegraph app.svg --by path --by line")]
pub struct ProfileArguments {
    /// The shared options.
    #[command(flatten)]
    pub options: TraceOptions,
}
